import type { Socket } from "node:net";
import type pg from "pg";

/** The application's roles may take 60 seconds for a statement: a live server has responded by then. */
const RESPONSE_TIMEOUT_MS = 65_000;

const TIMEOUT_MESSAGE = "Connection terminated: the database was silent for too long.";

/** Parts of the driver that its types leave out. */
interface DriverClient {
  readonly connection: { readonly stream: Socket };
  readonly _activeQuery: unknown;
  readonly _queryQueue: readonly unknown[];
  readonly _sentQueryQueue: readonly unknown[];
  readonly _ending: boolean;
}

export interface ResponseTimeout {
  readonly timeoutMs?: number | undefined;
  /** Called when a connection was closed for it. */
  readonly onSilence?: () => void;
}

/**
 * Closes a connection that has a statement in progress and sent nothing for longer than any statement takes. A
 * firewall that forgot the connection, or a machine that is gone, sends no reset: the statement would wait for
 * as long as the system retries, a quarter of an hour, and others for its place in the pool.
 */
export function withResponseTimeout(
  client: pg.ClientBase,
  { timeoutMs = RESPONSE_TIMEOUT_MS, onSilence }: ResponseTimeout = {},
): void {
  const driver = client as unknown as DriverClient;
  const { stream } = driver.connection;
  stream.setTimeout(timeoutMs);
  stream.on("timeout", () => {
    // Nobody waits for a connection that is closing.
    if (driver._ending) return void stream.destroy();
    if (!hasPendingStatement(driver)) return;
    stream.destroy(new Error(TIMEOUT_MESSAGE));
    onSilence?.();
  });
}

/** An idle connection may be silent for as long as it likes. */
function hasPendingStatement({
  _activeQuery,
  _queryQueue,
  _sentQueryQueue,
}: DriverClient): boolean {
  return Boolean(_activeQuery) || _queryQueue.length + _sentQueryQueue.length > 0;
}
