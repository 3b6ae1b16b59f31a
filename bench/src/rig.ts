import { readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, realpath, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { ensureMasterKey } from "../../server/src/kernel/access/crypto.ts";
import { withOwnerClient } from "../../server/src/kernel/db/setup/owner-connection.ts";
import { prepareDatabase } from "../../server/src/kernel/db/setup/prepare-database.ts";
import { startEmbedded } from "../../server/src/kernel/embedded/embedded-database.ts";
import { NOTES_SQL } from "../../server/src/kernel/testing/notes.ts";
import { type Child, startChild } from "./child.ts";
import { ORDERS_SQL } from "./reference-orders.ts";
import { TALLY_SQL } from "./tally.ts";

/** The flags that `npm start` passes to Node in a checkout of the product. */
export function startFlagsOf(folder: string): readonly string[] {
  const text = readFileSync(join(folder, "package.json"), "utf8");
  return /node (.*) server\/start\.mjs/.exec(text)?.[1]?.split(" ") ?? [];
}

/** The start flags of this checkout. */
export const START_FLAGS: readonly string[] = startFlagsOf(join(import.meta.dirname, "../.."));

/** The password of the first owner. */
export const PASSWORD = "a password for the benchmark";
const SEEDS = 1_000;
const TMPFS = 0x01021994;

export interface ProductOptions {
  /** Enables the readers of the tally. */
  readonly readers?: "on" | "off";
  /** The folder for CPU profiles of the product. */
  readonly profileFolder?: string | undefined;
  /** Additional settings. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * A separate data folder with notes, and the servers that use it. Both databases are in one embedded cluster with the
 * product's settings, so commits wait for the disk on both sides.
 */
export class Rig {
  /** The first owner. */
  readonly login = { email: "admin@example.com", password: PASSWORD };
  /** Notes that exist on both sides. */
  readonly noteIds: readonly string[];
  readonly #folder: string;
  readonly #owner: pg.ClientConfig;
  readonly #children: Child[] = [];

  private constructor(folder: string, owner: pg.ClientConfig, noteIds: readonly string[]) {
    this.#folder = folder;
    this.#owner = owner;
    this.noteIds = noteIds;
  }

  static async open(): Promise<Rig> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "millrace-bench-")));
    try {
      // As root, PostgreSQL runs as another account, which must be able to enter.
      await chmod(folder, 0o711);
      if ((await statfs(folder)).type === TMPFS) {
        process.stderr.write(`${folder} is in memory: no commit waits for a disk. Set TMPDIR.\n`);
      }
      await mkdir(join(folder, "data"), { mode: 0o711 });
      const noteIds = Array.from(
        { length: SEEDS },
        (_, n) => `note_${String(n).padStart(26, "0")}`,
      );
      return new Rig(folder, await furnish(join(folder, "data"), noteIds), noteIds);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** The product with notes, and a token of its first user. */
  async startProduct(options: ProductOptions = {}): Promise<Child & { readonly token: string }> {
    const { profileFolder } = options;
    const profile = ["--cpu-prof", `--cpu-prof-dir=${profileFolder}`];
    const child = await this.#start(
      [
        ...START_FLAGS,
        ...(profileFolder === undefined ? [] : profile),
        join(import.meta.dirname, "product.ts"),
      ],
      { ...this.#settings(), BENCH_READERS: options.readers ?? "off", ...options.env },
    );
    return { ...child, token: await logIn(child.port) };
  }

  /** The product as started by `npm start`. */
  startPlainProduct(env: Readonly<Record<string, string>> = {}): Promise<Child> {
    const program = join(import.meta.dirname, "../../server/start.mjs");
    return this.#start([...START_FLAGS, program], { ...this.#settings(), ...env });
  }

  /** A folder that is removed with the rig. */
  async folder(name: string): Promise<string> {
    const path = join(this.#folder, name);
    await mkdir(path, { recursive: true });
    return path;
  }

  /** The folder of the console built by the plain product. */
  async builtConsole(): Promise<string> {
    const cache = join(this.#folder, "data/cache");
    const name = (await readdir(cache)).find((entry) => entry.startsWith("console-"));
    if (name === undefined) throw new Error("The product has built no console.");
    return join(cache, name);
  }

  /** Needs a running product, whose database server it shares. */
  startReference(): Promise<Child> {
    const connection = { ...this.#owner, database: "reference" };
    return this.#start([join(import.meta.dirname, "reference.ts")], {
      REFERENCE_DATABASE: JSON.stringify(connection),
    });
  }

  /** Another program of the benchmark, by its file name. */
  startProgram(name: string): Promise<Child> {
    return this.#start([join(import.meta.dirname, name)], {});
  }

  /** Writes a file that is removed with the rig. Returns its path. */
  async write(name: string, text: string): Promise<string> {
    const path = join(this.#folder, name);
    await writeFile(path, text);
    return path;
  }

  /** One statement as the owner of the product's database. */
  query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return withOwnerClient(
      this.#owner,
      async (client) => (await client.query<Row>(text, values)).rows,
    );
  }

  /** One statement as the owner of the reference's database. */
  queryReference(text: string, values: unknown[] = []): Promise<unknown> {
    return withOwnerClient({ ...this.#owner, database: "reference" }, (client) =>
      client.query(text, values),
    );
  }

  /** Stops running processes, the reference before the product that runs its database. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children.toReversed()) await child.stop();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }

  #settings(): Record<string, string> {
    return {
      MILLRACE_DATA_DIR: join(this.#folder, "data"),
      MILLRACE_ADMIN_PASSWORD: PASSWORD,
      MILLRACE_RATE_LIMIT: "0",
      MILLRACE_LOGIN_RATE_LIMIT: "0",
    };
  }

  async #start(args: readonly string[], env: Record<string, string>): Promise<Child> {
    const child = await startChild({ args, env, logFile: join(this.#folder, "children.log") });
    this.#children.push(child);
    return child;
  }
}

/** Creates the cluster, both databases and their notes, then stops the server. */
async function furnish(dataDir: string, noteIds: readonly string[]): Promise<pg.ClientConfig> {
  const database = await startEmbedded({ folder: dataDir, log: () => undefined });
  try {
    const owner: pg.ClientConfig = database.connection;
    await prepareDatabase(owner, ensureMasterKey(undefined, dataDir));
    await withOwnerClient(owner, async (client) => {
      await client.query(NOTES_SQL);
      await client.query(TALLY_SQL);
      await client.query(
        `${SEED("workspace_id, environment,", "home_workspace_id, 'production',")}
        cross join installation`,
        [noteIds],
      );
      await client.query("create database reference");
    });
    await withOwnerClient({ ...owner, database: "reference" }, async (client) => {
      await client.query(REFERENCE_SQL);
      await client.query(ORDERS_SQL);
      await client.query(SEED("", ""), [noteIds]);
    });
    return owner;
  } finally {
    await database.stop();
  }
}

/** The same table without the product's additions such as tenancy and title rules, and a table of runs. */
export const REFERENCE_SQL = `
  create table notes (
    id         text        collate "C" primary key,
    title      text        collate "C" not null,
    body       text        not null,
    revision   integer     not null default 1,
    created_at timestamptz not null
  );
  create table runs (
    id          text        collate "C" primary key,
    status      text        collate "C" not null,
    input       jsonb       not null,
    output      jsonb,
    created_at  timestamptz not null,
    finished_at timestamptz
  )`;

const SEED = (columns: string, values: string): string => `
  insert into notes (${columns} id, title, body, created_at)
  select ${values} id, 'Seed ' || id, repeat('All is well. ', 8), now() from unnest($1::text[]) as id`;

/** A token of the first owner. */
export async function logIn(port: number): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${port}/api/v1/auth/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "admin@example.com", password: PASSWORD }),
  });
  if (reply.status !== 200) throw new Error(`The login failed: ${await reply.text()}`);
  const { data } = (await reply.json()) as { data: { token: string } };
  return data.token;
}
