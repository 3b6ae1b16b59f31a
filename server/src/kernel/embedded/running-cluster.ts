import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { StartupError } from "../startup-error.ts";
import { OWNER_ROLE, readIfThere } from "./cluster.ts";
import { DATABASE, type EmbeddedConnection } from "./embedded-database.ts";
import { errnoOf } from "./processes.ts";

/** The running cluster of a data folder. */
export interface RunningCluster {
  /** The data folder. */
  readonly folder: string;
  readonly cluster: string;
  readonly connection: EmbeddedConnection;
}

/** Finds the server that runs on a data folder: its lock file names the socket. */
export async function findRunning(dataFolder: string): Promise<RunningCluster> {
  try {
    const folder = await realpath(dataFolder);
    const cluster = await realpath(join(folder, "postgres"));
    const password = await readIfThere(join(folder, "postgres.password"));
    const lines = (await readIfThere(join(cluster, "postmaster.pid")))?.split("\n") ?? [];
    const [port, host, state] = [Number(lines[3]), lines[4] ?? "", lines[7]?.trim()];
    if (password === undefined || state !== "ready" || host === "") throw notReady(dataFolder);
    const connection = { host, port, user: OWNER_ROLE, password, database: DATABASE };
    return { folder, cluster, connection };
  } catch (error) {
    if (errnoOf(error) === "ENOENT") throw notReady(dataFolder);
    if (errnoOf(error) !== "EACCES") throw error;
    throw new StartupError(
      `This account can't read the database in ${dataFolder}. Run the command as root, or as the account that runs Millrace.`,
      { cause: error },
    );
  }
}

function notReady(folder: string): StartupError {
  return new StartupError(
    `The database in ${folder} is starting or stopping. Try again in a few seconds.`,
  );
}
