import type { Socket } from "node:net";
import type pg from "pg";

/** The statement timeout of the application roles is below 60 seconds, so a working server responds by then. */
const RESPONSE_TIMEOUT_MS = 65_000;

const TIMEOUT_MESSAGE = "Connection terminated: the database did not respond in time.";

/** Members of the driver that its types omit. */
interface DriverClient {
  readonly connection: { readonly stream: Socket };
  readonly _activeQuery: unknown;
  readonly _queryQueue: readonly unknown[];
  readonly _sentQueryQueue: readonly unknown[];
  readonly _ending: boolean;
}

export interface ResponseTimeout {
  readonly timeoutMs?: number | undefined;
  /** Called when the connection was closed for silence. */
  readonly onSilence?: () => void;
}

/**
 * Closes a connection with a statement in progress that received nothing for longer than any statement takes.
 * After a firewall timeout or a machine failure no reset arrives: the statement would wait for the TCP retries,
 * about 15 minutes, and block its place in the pool.
 */
export function withResponseTimeout(
  client: pg.ClientBase,
  { timeoutMs = RESPONSE_TIMEOUT_MS, onSilence }: ResponseTimeout = {},
): void {
  const driver = client as unknown as DriverClient;
  const { stream } = driver.connection;
  stream.setTimeout(timeoutMs);
  stream.on("timeout", () => {
    // A closing connection has no waiting callers.
    if (driver._ending) return void stream.destroy();
    if (!hasPendingStatement(driver)) return;
    stream.destroy(new Error(TIMEOUT_MESSAGE));
    onSilence?.();
  });
}

/** Idle connections may be silent for any time. */
function hasPendingStatement({
  _activeQuery,
  _queryQueue,
  _sentQueryQueue,
}: DriverClient): boolean {
  return Boolean(_activeQuery) || _queryQueue.length + _sentQueryQueue.length > 0;
}
