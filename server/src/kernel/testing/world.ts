import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import type { FastifyInstance, InjectOptions } from "fastify";
import pg from "pg";
import { pino } from "pino";
import { afterAll, inject } from "vitest";
import { domains } from "../../app.ts";
import { Clock } from "../clock.ts";
import { sha256 } from "../access/crypto.ts";
import type { Domain } from "../contract.ts";
import { prepareDatabase } from "../db/setup/prepare-database.ts";
import { buildServer } from "../http/server.ts";
import { newId, newWorkspaceKey } from "../schema/id.ts";
import { Kernel, type IdlePools } from "../kernel.ts";
import { scrubDestination } from "../secrets/recent-secrets.ts";
import { readSettings } from "../settings.ts";
import { builtServer } from "../../process/testing/built-server.ts";
import { IdleProcesses } from "../work/subprocess.ts";
import { TEST_KEY, TEST_KEY_TEXT } from "./database.ts";
import { dropDatabase, takeDatabase } from "./database-copy.ts";
import { fastFolder } from "./fast-folder.ts";
import { notes } from "./notes.ts";

/** A clock that a test can advance. */
export class TestClock extends Clock {
  #aheadMs = 0;
  /** Called when it was advanced. */
  onAdvance: () => void = () => undefined;

  override nowMs(): number {
    return super.nowMs() + this.#aheadMs;
  }

  advance(ms: number): void {
    this.#aheadMs += ms;
    this.onAdvance();
  }
}

export interface Answer {
  readonly status: number;
  readonly body: any;
  readonly headers: Record<string, string>;
  /** The types of events appended by this request, in order. */
  readonly events: string[];
}

export type Ask = ((
  route: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>) & { readonly token?: string };

export interface WorldOptions {
  readonly domains?: readonly Domain[];
  /** True to run readers, jobs and engines like the product. */
  readonly work?: boolean;
  readonly env?: Record<string, string>;
  /** True if host commands in separate processes must find its database. */
  readonly hostCommands?: boolean;
  /** The folder of a built console. */
  readonly consoleFolder?: string;
}

const SERVED: readonly Domain[] = [...domains, notes];

/** Shared by all worlds of a worker, because starting the processes took at least half a second of CPU time. */
export const idleProcesses: IdlePools = {
  evaluators: new IdleProcesses(2),
  scripts: new IdleProcesses(3),
  embedders: new IdleProcesses(1),
};

/** Run after every request, so it is prepared. */
const EVENTS_OF_REQUEST = {
  name: "events_of_request",
  text: "select type from events where request_id = $1 order by epoch, xid, seq",
};

interface Parts {
  readonly kernel: Kernel;
  readonly app: FastifyInstance;
  /** The number of started write transactions. */
  readonly writes: () => number;
}

export type World = Awaited<ReturnType<typeof startWorld>>;

/** A world for all tests of a file. */
export function useWorld(options: WorldOptions = {}): Promise<World> {
  return useFixture(startWorld(options));
}

/** Starts a fixture for all tests of a file and stops it afterwards, in reverse order of start. */
export async function useFixture<T extends AsyncDisposable>(starting: Promise<T>): Promise<T> {
  const fixture = await starting;
  afterAll(() => fixture[Symbol.asyncDispose]());
  return fixture;
}

/** A separate database with the real product and users that call it over HTTP. */
export async function startWorld(options: WorldOptions = {}) {
  const { owner, prepared, isPrivate } = inject("database");
  const { work = false } = options;
  const served = options.domains ?? SERVED;
  const hasWorked = work && options.domains === undefined;
  const name = await takeDatabase(hasWorked ? "workedTemplate" : "template");
  const here = { database: name, stream: openSocket };
  // A host command opens the database with its logins, so this process uses them too.
  const logins = options.hostCommands
    ? await prepareDatabase({ ...owner, database: name }, TEST_KEY)
    : prepared;
  const database = {
    app: { ...logins.app, ...here },
    system: { ...logins.system, ...here },
    sql: { ...logins.sql, ...here },
    isEmbedded: isPrivate,
  };
  const admin = new pg.Pool({ ...owner, ...here, max: 2 });
  // A pool reports its end before its connections are closed, and dropping the database breaks those.
  admin.on("error", () => undefined);
  admin.on("connect", (client) => client.on("error", () => undefined));
  const clock = new TestClock();
  const lines: string[] = [];
  const log = pino(
    { level: "info", base: null },
    scrubDestination({ write: (line) => void lines.push(line) }),
  );
  const dataDir = join(fastFolder(), `millrace-data-${randomBytes(8).toString("hex")}`);
  const settings = readSettings({
    MILLRACE_DATABASE_POOL: "8",
    MILLRACE_DATA_DIR: dataDir,
    ...(options.hostCommands && hostSettings(owner, name)),
    ...options.env,
  });
  // Shifts the job times from the creation of the template to now.
  if (hasWorked) await admin.query("update jobs set due_at = due_at + (now() - created_at)");
  const kernel = await Kernel.open({
    database,
    settings,
    masterKey: TEST_KEY,
    domains: served,
    log,
    clock,
    idleProcesses,
  });
  if (work) await kernel.startWork();
  const writes = countWrites(kernel);
  const app = await buildServer({
    kernel,
    loopDelayMaxMs: Infinity,
    consoleFolder: options.consoleFolder,
  });
  // Cleared at the end: a worker keeps references to its test files' data and could not hold many complete worlds.
  const parts: Parts = { kernel, app, writes };
  // Waiting code checks immediately instead of after its own timeout.
  clock.onAdvance = () =>
    ["jobs", "deliveries", "runs", "presence"].forEach((work) =>
      parts.kernel.wakeSignal.raise(work),
    );
  const sql = async (text: string, values: unknown[] = []): Promise<any[]> =>
    (await admin.query(text, values)).rows;
  const eventsOf = async (requestId: unknown): Promise<string[]> =>
    (await admin.query({ ...EVENTS_OF_REQUEST, values: [requestId] })).rows.map(({ type }) => type);
  const home = (await sql("select home_workspace_id as key from installation"))[0].key as string;

  const asToken = (token: string | undefined, workspace?: string): Ask =>
    asker(parts, eventsOf, {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(workspace !== undefined && { "x-workspace": workspace }),
    });

  /** A transaction that has run one statement and ends on release. */
  const openWith = async (text: string): Promise<{ release: () => Promise<void> }> => {
    const client = await admin.connect();
    await client.query("begin");
    await client.query(text);
    return {
      release: async () => {
        await client.query("commit");
        client.release();
      },
    };
  };

  return {
    get app(): FastifyInstance {
      return parts.app;
    },
    get kernel(): Kernel {
      return parts.kernel;
    },
    clock,
    database,
    lines,
    sql,
    home,
    asToken,
    /** Resolves when all events in the log are settled. Other tests share the cluster. */
    settled: () =>
      until(async () => {
        const open =
          "select from events where xid >= pg_snapshot_xmin(pg_current_snapshot()) limit 1";
        return (await sql(open)).length === 0;
      }),
    /** Resolves when this number of transactions waits for a table lock in this database. */
    waiting: (count: number) =>
      until(async () => {
        const here = "(select oid from pg_database where datname = current_database())";
        const waiters = `select from pg_locks where not granted and database = ${here}`;
        return (await sql(waiters)).length >= count;
      }),
    /** A concurrent transaction that has run one statement and commits on release. */
    openTransaction: openWith,
    /** Holds a table lock like a writer, until released. */
    hold: (table: string) => openWith(`lock table ${table} in row exclusive mode`),
    /** Prevents the log from settling, like a slow writer, until released. */
    unsettle: () => openWith("select pg_current_xact_id()"),
    /** A caller without a credential. */
    stranger: asToken(undefined),
    /** Creates another workspace. */
    async workspace(slug: string): Promise<{ key: string; slug: string }> {
      const key = newWorkspaceKey();
      await sql(
        "insert into workspaces (key, slug, name, created_at, updated_at) values ($1, $2, $2, now(), now())",
        [key, slug],
      );
      await sql("insert into workspace_keys values ($1, $2, now())", [
        key,
        parts.kernel.keys.wrapNew(key),
      ]);
      return { key, slug };
    },
    /** A new signed-in member with these roles. */
    async member(
      roles: readonly string[],
      workspace: { key: string; slug: string } = { key: home, slug: "default" },
    ): Promise<Ask & { token: string; userId: string }> {
      const userId = newId("usr");
      const token = `mrs_${randomBytes(16).toString("hex")}`;
      await sql(
        `with u as (insert into users (id, email, name, created_at, updated_at)
                    values ($1, $1 || '@example.com', 'Somebody', now(), now()) returning id),
              s as (insert into sessions (id, user_id, token_hash, created_at, expires_at)
                    select $2, id, $3, now(), now() + interval '30 days' from u)
         insert into memberships (workspace_id, user_id, roles, created_at, updated_at)
         select $4, id, $5, now(), now() from u`,
        [userId, newId("ses"), sha256(token), workspace.key, [...roles]],
      );
      return Object.assign(asToken(token, workspace.slug), { token, userId });
    },
    async [Symbol.asyncDispose]() {
      parts.kernel.drain();
      await parts.app.close();
      await parts.kernel.close();
      await admin.end();
      dropDatabase(name);
      // Created for the first stored file.
      await rm(dataDir, { recursive: true, force: true });
      Object.assign(parts, { kernel: undefined, app: undefined });
    },
  };
}

/** The settings that give another process access to this database and its sealed data. */
function hostSettings(
  { host = "", port = 5432, user = "", password }: pg.ClientConfig,
  database: string,
): Record<string, string> {
  const secret = typeof password === "string" ? `:${encodeURIComponent(password)}` : "";
  const place = host.startsWith("/")
    ? `/${database}?host=${encodeURIComponent(host)}&port=${port}`
    : `${host}:${port}/${database}`;
  return {
    // From the sources, each command took five seconds of CPU time.
    MILLRACE_BUNDLE: builtServer(),
    DATABASE_URL: `postgres://${encodeURIComponent(user)}${secret}@${place}`,
    MILLRACE_MASTER_KEY: TEST_KEY_TEXT,
  };
}

/** Like `pg` opens one, but without a dynamic import, which vitest would report to its main process. */
const openSocket = (): Socket => new Socket();

/** For all worlds of this worker. */
let writesEnded = 0;

/** Only such a transaction can append events. */
function countWrites({ db }: Kernel): () => number {
  const write = db.write.bind(db);
  let count = 0;
  db.write = (partition, work) => {
    count += 1;
    return write(partition, work).finally(() => (writesEnded += 1));
  };
  return () => count;
}

const UNTIL_LIMIT_MS = 30_000;
/** The polling interval starts short and grows, because polling takes CPU time from the awaited work. */
const PAUSE_MIN_MS = 5;
const PAUSE_MAX_MS = 50;
const PAUSE_GROWTH = 1.5;
/**
 * After this number of pauses without a write, polling slows down, because most awaited conditions result from a
 * write.
 */
const QUIET_PAUSES_MAX = 4;

/** Waits for a condition instead of a fixed time, which would be unreliable on a busy machine. */
export async function until<T>(
  condition: () => Promise<T | undefined | false>,
  limitMs = UNTIL_LIMIT_MS,
): Promise<T> {
  const end = performance.now() + limitMs;
  for (let pauseMs = PAUSE_MIN_MS; ; pauseMs = Math.min(pauseMs * PAUSE_GROWTH, PAUSE_MAX_MS)) {
    const before = writesEnded;
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > end)
      throw new Error(`This did not come about: ${condition.toString()}`);
    let pauses = 0;
    do await new Promise((resolve) => setTimeout(resolve, pauseMs));
    while (writesEnded === before && ++pauses < QUIET_PAUSES_MAX);
  }
}

function asker(
  parts: Parts,
  eventsOf: (requestId: unknown) => Promise<string[]>,
  base: Record<string, string>,
): Ask {
  return async (route, body, headers = {}) => {
    const [method, url] = route.split(" ") as ["GET", string];
    const writes = parts.writes();
    const reply = await parts.app.inject({
      method,
      url,
      headers: { ...base, ...headers },
      ...(body !== undefined && {
        payload: typeof body === "string" ? body : JSON.stringify(body),
        headers: { "content-type": "application/json", ...base, ...headers },
      }),
    } as InjectOptions);
    return {
      status: reply.statusCode,
      body: reply.payload === "" ? undefined : parse(reply.payload),
      headers: reply.headers as Record<string, string>,
      events: parts.writes() === writes ? [] : await eventsOf(reply.headers["x-request-id"]),
    };
  };
}

function parse(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
