import type { Socket } from "node:net";
import type pg from "pg";

/** The application's roles may take 60 seconds for a statement: a server that is there has answered by then. */
const SILENCE_MAX_MS = 65_000;

const SILENT = "Connection terminated: the database was silent for too long.";

/** Parts of the driver that its types leave out. */
interface DriverClient {
  readonly connection: { readonly stream: Socket };
  readonly _activeQuery: unknown;
  readonly _queryQueue: readonly unknown[];
  readonly _sentQueryQueue: readonly unknown[];
  readonly _ending: boolean;
}

/**
 * Gives a connection up that owes an answer and has said nothing for longer than any statement takes. A
 * firewall that forgot the connection, or a machine that is gone, sends no reset: whoever waits for the
 * answer would wait for as long as the system retries, a quarter of an hour, and others for its place
 * in the pool.
 */
export function withResponseTimeout(client: pg.ClientBase, silenceMaxMs = SILENCE_MAX_MS): void {
  const driver = client as unknown as DriverClient;
  const { stream } = driver.connection;
  stream.setTimeout(silenceMaxMs);
  stream.on("timeout", () => {
    // Nobody waits for the answer to a farewell.
    if (driver._ending) stream.destroy();
    else if (owes(driver)) stream.destroy(new Error(SILENT));
  });
}

/** One that nobody uses may be silent for as long as it likes. */
function owes({ _activeQuery, _queryQueue, _sentQueryQueue }: DriverClient): boolean {
  return Boolean(_activeQuery) || _queryQueue.length + _sentQueryQueue.length > 0;
}
