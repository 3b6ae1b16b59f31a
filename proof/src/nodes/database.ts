import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { withOwnerClient } from "../../../server/src/kernel/db/setup/owner-connection.ts";
import { roleNames } from "../../../server/src/kernel/db/setup/roles.ts";
import { startEmbedded } from "../../../server/src/kernel/embedded/embedded-database.ts";

/** An initially empty database shared by all nodes. */
export interface SharedDatabase {
  /** The settings of a node that uses it. */
  readonly env: Readonly<Record<string, string>>;
  /** One statement as its owner. */
  rows(text: string, values?: unknown[]): Promise<any[]>;
}

/** A database that exists until it is disposed. */
export type OpenDatabase = SharedDatabase & AsyncDisposable;

/** A new database on the server at the address or, without one, in a new embedded cluster. */
export function openDatabase(url: string | undefined): Promise<OpenDatabase> {
  return url === undefined ? openEmbedded() : openOnServer(url);
}

async function openEmbedded(): Promise<OpenDatabase> {
  await using undo = new AsyncDisposableStack();
  const folder = await realpath(await mkdtemp(join(tmpdir(), "millrace-proof-")));
  undo.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  // As root, PostgreSQL runs as another account, which must be able to enter.
  await chmod(folder, 0o711);
  const server = await startEmbedded({ folder: join(folder, "data"), log: () => undefined });
  undo.defer(() => server.stop());
  return opened(server.connection, undo.move());
}

async function openOnServer(url: string): Promise<OpenDatabase> {
  const name = `millrace_proof_${randomBytes(8).toString("hex")}`;
  const server = { connectionString: url };
  await withOwnerClient(server, (client) => client.query(`create database ${name}`));
  await using undo = new AsyncDisposableStack();
  undo.defer(() =>
    withOwnerClient(server, async (client) => {
      await client.query(`drop database ${name} with (force)`);
      for (const role of Object.values(roleNames(name)))
        await client.query(`drop role if exists ${role}`);
    }),
  );
  const { host, port, user, password } = new pg.Client(server);
  const login = { host, port, user: user ?? "", password: password ?? "", database: name };
  return opened(login, undo.move());
}

interface Login {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

function opened(login: Login, undo: AsyncDisposableStack): OpenDatabase {
  const owner = new pg.Pool({ ...login, max: 2 });
  // The end of the database breaks its connections, which is expected.
  owner.on("error", () => undefined);
  undo.defer(() => owner.end());
  return {
    env: {
      DATABASE_URL: urlOf(login),
      MILLRACE_MASTER_KEY: randomBytes(32).toString("base64"),
      MILLRACE_DATABASE_POOL: "8",
    },
    rows: async (text, values = []) => (await owner.query(text, values)).rows,
    [Symbol.asyncDispose]: () => undo.disposeAsync(),
  };
}

/** A Unix socket folder can only be in the query of a URL. */
function urlOf({ host, port, user, password, database }: Login): string {
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  return host.startsWith("/")
    ? `postgres://${login}@/${database}?host=${encodeURIComponent(host)}&port=${port}`
    : `postgres://${login}@${host}:${port}/${database}`;
}
