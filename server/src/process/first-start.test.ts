import { existsSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withOwnerClient } from "#kernel/db/setup/owner-connection.ts";
import { OWNER_ROLE } from "#kernel/embedded/cluster.ts";
import { until } from "#kernel/testing/world.ts";
import {
  all,
  asker,
  databaseOf,
  dataFolder,
  kill,
  launch,
  type Product,
  stop,
  useProducts,
  type Victims,
} from "./testing/product.ts";

useProducts();

const LOCKED = "exists (select from pg_locks where locktype = 'advisory')";
const MIGRATED = "to_regclass('installation') is not null";
const ROLES = "select from pg_roles where rolname = 'millrace_system_millrace'";

type Moment = readonly [Victims, string, () => boolean | Promise<boolean>];

/**
 * In order of occurrence. Each remains true, so a late check is harmless. All use the same folder: each start
 * continues after the last kill, and the final one completes.
 */
const MOMENTS: readonly Moment[] = [
  ["parent", "it was just spawned", () => true],
  ["group", "initdb begins", () => clusterHas(".")],
  ["parent", "initdb has filled a database", () => clusterHas("base/1/PG_VERSION")],
  ["everything", "PostgreSQL starts", () => databaseOf(dataFolder()) !== undefined],
  ["group", "the migrations run", () => holds(`${LOCKED} or ${MIGRATED}`)],
  ["parent", "the roles are made", () => holds(`exists (${ROLES})`)],
  ["everything", "the first owner is there", () => holds("exists (select from users)")],
];

const NO_PASSWORD = { MILLRACE_ADMIN_PASSWORD: "" };
const MADE_UP = /generated password \(shown at each start until the first sign-in\): (\S{20})$/;

/** Drafts of initdb from earlier starts. */
let leftBefore: readonly string[] = [];

test(
  "a first start killed at any time leaves a folder that starts; the generated password is printed early, and again until the first login; a lost key is not replaced",
  { timeout: 180_000 },
  async () => {
    for (const [victims, about, moment] of MOMENTS) {
      leftBefore = draftsIn(dataFolder());
      const doomed = launch(NO_PASSWORD);
      await until(async () => {
        expect(doomed.child.exitCode, `it ended by itself before ${about}`).toBeNull();
        return await moment();
      });
      await kill(doomed, victims);
    }

    const first = launch(NO_PASSWORD);
    await first.ready;
    const [password, ...more] = passwordsOf(first);
    expect([password, more]).toEqual([expect.any(String), []]);
    const indexOf = (start: string): number =>
      first.lines.findIndex((line) => line.startsWith(start));
    expect(indexOf("The password")).toBeLessThan(indexOf("Millrace is ready"));
    await stop(first);

    const key = join(dataFolder(), "master.key");
    renameSync(key, `${key}.away`);
    const keyless = launch(NO_PASSWORD);
    expect(await keyless.ended).toBe(1);
    expect(keyless.lines).toContain(
      `This database was created with a master key, but the file ${key} does not exist. ` +
        "Restore that file, or set MILLRACE_MASTER_KEY.",
    );
    expect(existsSync(key)).toBe(false);
    renameSync(`${key}.away`, key);

    const second = launch(NO_PASSWORD);
    const address = await second.ready;
    expect(passwordsOf(second)).toEqual([password]);
    const credentials = { email: "admin@example.com", password };
    const login = await asker(address)("POST /api/v1/auth/token", credentials);
    expect(login.status).toBe(200);
    const owner = asker(address, login.body.data.token);
    const workspaces = await all(owner, "/api/v1/workspaces");
    expect(workspaces.map(({ slug }) => slug)).toEqual(["default"]);
    const events = await all(owner, "/api/v1/audit", { "x-workspace": "default" });
    expect(events.map(({ type }) => type).toReversed()).toEqual([
      "workspace.created",
      "user.activated",
      "audit.auth.login",
    ]);
    await stop(second);

    const third = launch(NO_PASSWORD);
    await third.ready;
    expect(third.lines.join("\n")).not.toMatch(/password/i);
  },
);

function passwordsOf({ lines }: Product): string[] {
  return lines.flatMap((line) => MADE_UP.exec(line)?.[1] ?? []);
}

/** True if the cluster has this file, in initdb's draft or in its final place. */
function clusterHas(file: string): boolean {
  const folder = dataFolder();
  const drafts = draftsIn(folder).filter((name) => !leftBefore.includes(name));
  return ["postgres", ...drafts].some((name) => existsSync(join(folder, name, file)));
}

function draftsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => /^postgres\.init-[^.]+$/.test(name));
}

/** True if the condition is true in the database. False while it cannot be queried. */
async function holds(condition: string): Promise<boolean> {
  const database = databaseOf(dataFolder());
  if (!database) return false;
  const password = readFileSync(join(dataFolder(), "postgres.password"), "utf8");
  const owner = { host: database.host, user: OWNER_ROLE, password, database: "millrace" };
  try {
    const { rows } = await withOwnerClient(owner, (client) =>
      client.query(`select ${condition} as yes`),
    );
    return rows[0].yes;
  } catch {
    return false;
  }
}
