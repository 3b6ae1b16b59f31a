import { flushCompileCache } from "node:module";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { pino } from "pino";
import type { TestProject } from "vitest/node";
import { writePrograms } from "../../build-server.ts";
import { firstStart } from "../../first-start.ts";
import { parseConnectionUrl } from "#kernel/db/setup/owner-connection.ts";
import { domains } from "../../app.ts";
import { cheapenPasswords } from "../../domains/identity/accounts/index.ts";
import { MasterKey } from "../access/crypto.ts";
import { withOwnerClient } from "../db/setup/owner-connection.ts";
import { prepareDatabase, type PreparedDatabase } from "../db/setup/prepare-database.ts";
import { startEmbedded } from "../embedded/embedded-database.ts";
import { Kernel } from "../kernel.ts";
import { readSettings } from "../settings.ts";
import { fastFolder } from "./fast-folder.ts";
import { NOTES_SQL } from "./notes.ts";

export interface TestDatabase {
  readonly owner: pg.ClientConfig;
  readonly prepared: PreparedDatabase;
  readonly template: string;
  /** A template whose recurring jobs have had their first turn. */
  readonly workedTemplate: string;
  /** True if the server exists for this run only. */
  readonly isPrivate: boolean;
  /** The SCRAM verifiers of the logins, as stored by the product. */
  readonly verifiers: Readonly<Record<string, string>>;
}

declare module "vitest" {
  interface ProvidedContext {
    database: TestDatabase;
    /** A folder of this run for artifacts shared by several test files. */
    folder: string;
  }
}

/** The cluster is temporary, so it need not survive a power failure. */
const SETTINGS = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  autovacuum: "off",
  track_counts: "off",
  jit: "off",
  // Plans of a world are used a few times on small tables: one generic plan per statement instead of five custom plans
  // first.
  plan_cache_mode: "force_generic_plan",
  max_connections: "300",
};

cheapenPasswords();

const POLL_MS = 20;
const KEY_BYTES = Buffer.alloc(32, 7);
export const TEST_KEY = new MasterKey(KEY_BYTES);
export const TEST_KEY_TEXT = KEY_BYTES.toString("base64");
export const TEST_PASSWORD = "correct horse battery";

/**
 * One cluster for the whole run with one migrated template, which is copied for every test. `TEST_DATABASE_URL` names
 * a server to use instead of the embedded database.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const url = process.env["TEST_DATABASE_URL"];
  const folder = mkdtempSync(join(fastFolder(), "millrace-test-"));
  // The account that runs PostgreSQL for root must be able to enter.
  chmodSync(folder, 0o755);
  const embedded =
    url === undefined
      ? await startEmbedded({
          folder,
          log: () => undefined,
          settings: SETTINGS,
        })
      : undefined;
  const owner: pg.ClientConfig = embedded?.connection ?? parseConnectionUrl(url ?? "");
  const template = `millrace_template_${process.pid}`;
  await withOwnerClient(owner, (client) => client.query(`create database ${template}`));
  const prepared = await makeTemplate({ ...owner, database: template });
  const workedTemplate = await makeWorkedTemplate(owner, template, prepared);
  const logins = [prepared.app, prepared.system, prepared.sql];
  const verifiers = await readVerifiers(owner, logins);
  if (embedded) await trustLogins(owner, logins, join(folder, "postgres/pg_hba.conf"));
  const isPrivate = embedded !== undefined;
  project.provide("database", {
    owner,
    prepared,
    template,
    workedTemplate,
    isPrivate,
    verifiers,
  });
  project.provide("folder", folder);
  // Child process programs are bundled once, like for a server. Workers find them by the same variable.
  const programs = join(folder, "programs");
  await writePrograms(programs);
  process.env["MILLRACE_BUNDLE"] = programs;
  // For the workers that start next.
  flushCompileCache();
  return async () => {
    delete process.env["MILLRACE_BUNDLE"];
    if (embedded === undefined) await dropAll(owner, template);
    await embedded?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

async function readVerifiers(
  owner: pg.ClientConfig,
  logins: readonly pg.ClientConfig[],
): Promise<Record<string, string>> {
  const { rows } = await withOwnerClient(owner, (client) =>
    client.query<{ name: string; verifier: string }>(
      "select rolname as name, rolpassword as verifier from pg_authid where rolname = any($1)",
      [logins.map(({ user }) => user)],
    ),
  );
  return Object.fromEntries(rows.map(({ name, verifier }) => [name, verifier]));
}

/**
 * Disables password checks for the product's logins: a run opens thousands of connections, and authentication took
 * longer than the rest of a world's start. Whole-process tests cover passwords. The owner, also used by connector
 * tests, has one hashing round instead of 4,096.
 */
async function trustLogins(
  owner: pg.ClientConfig,
  logins: readonly pg.ClientConfig[],
  rulesFile: string,
): Promise<void> {
  const names = logins.map(({ user }) => `"${user}"`).join(",");
  writeFileSync(rulesFile, `local all ${names} trust\n${readFileSync(rulesFile, "utf8")}`);
  await withOwnerClient(owner, async (client) => {
    await client.query("set scram_iterations = 1");
    const { user, password } = owner;
    await client.query(
      `alter role ${pg.escapeIdentifier(String(user))} password ${pg.escapeLiteral(String(password))}`,
    );
    await client.query("select pg_reload_conf()");
  });
}

/** The template first, which waits for running copies of it. */
async function dropAll(owner: pg.ClientConfig, template: string): Promise<void> {
  await withOwnerClient(owner, async (client) => {
    await client.query(`drop database ${template} with (force)`);
    const { rows } = await client.query<{ name: string }>(
      "select datname as name from pg_database where starts_with(datname, $1)",
      [`${template}_`],
    );
    for (const { name } of rows) await client.query(`drop database if exists ${name} with (force)`);
  });
}

async function makeTemplate(owner: pg.ClientConfig): Promise<PreparedDatabase> {
  const prepared = await prepareDatabase(owner, TEST_KEY);
  await withOwnerClient(owner, async (client) => {
    await client.query(NOTES_SQL);
    // Every test request queries its events, and some tests make ten thousand requests.
    await client.query("create index on events (request_id)");
  });
  const kernel = await openKernel(prepared);
  await firstStart(kernel);
  await kernel.close();
  return prepared;
}

/** Running all recurring jobs at once on new connections took half of a world's start time. */
async function makeWorkedTemplate(
  owner: pg.ClientConfig,
  template: string,
  prepared: PreparedDatabase,
): Promise<string> {
  const name = `${template}_worked`;
  await withOwnerClient(owner, (client) =>
    client.query(`create database ${name} template ${template}`),
  );
  const here = { database: name };
  const kernel = await openKernel({
    ...prepared,
    app: { ...prepared.app, ...here },
    system: { ...prepared.system, ...here },
    sql: { ...prepared.sql, ...here },
  });
  await kernel.startWork();
  await withOwnerClient({ ...owner, ...here }, async (client) => {
    const due = "select from jobs where due_at <= now() or claimed_at is not null limit 1";
    while ((await client.query(due)).rowCount !== 0) await pause(POLL_MS);
  });
  await kernel.close();
  return name;
}

function openKernel(database: PreparedDatabase): Promise<Kernel> {
  const settings = readSettings({ MILLRACE_ADMIN_PASSWORD: TEST_PASSWORD });
  const log = pino({ level: "silent" });
  return Kernel.open({ database, settings, masterKey: TEST_KEY, domains, log });
}
