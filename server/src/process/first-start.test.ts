import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withClient } from "#kernel/db/migrate.ts";
import { OWNER_ROLE } from "#kernel/embedded/cluster.ts";
import { until } from "#kernel/testing/world.ts";
import {
  all,
  asker,
  databaseOf,
  dataFolder,
  kill,
  launch,
  logIn,
  useProducts,
  type Victims,
} from "./testing.ts";

useProducts();

/** In the order in which they come about. Each stays true afterwards, so that a late look does no harm. */
const MOMENTS: readonly [Victims, string, () => boolean | Promise<boolean>][] = [
  ["parent", "it was just spawned", () => true],
  ["group", "initdb begins", () => draft() !== undefined],
  ["parent", "initdb has filled a database", () => draft("base/1/PG_VERSION") !== undefined],
  ["everything", "PostgreSQL starts", () => databaseOf(dataFolder()) !== undefined],
  ["group", "the migrations run", () => holds(`${LOCKED} or ${MIGRATED}`)],
  ["parent", "the roles are made", () => holds(`exists (${ROLES})`)],
  ["everything", "the first owner is there", () => holds("exists (select from users)")],
];

const LOCKED = "exists (select from pg_locks where locktype = 'advisory')";
const MIGRATED = "to_regclass('installation') is not null";
const ROLES = "select from pg_roles where rolname = 'millrace_system_millrace'";

test.each(MOMENTS)(
  "a kill -9 of %s in the first start, when %s, leaves a folder that starts and lets the owner in",
  async (victims, _, moment) => {
    const doomed = launch();
    await until(async () => await moment());
    await kill(doomed, victims);

    const product = launch();
    const address = await product.ready;
    const owner = asker(address, await logIn(address));
    const workspaces = await all(owner, "/api/v1/workspaces");
    expect(workspaces.map(({ slug }) => slug)).toEqual(["default"]);
    const events = await all(owner, "/api/v1/audit", { "x-workspace": "default" });
    expect(events.map(({ type }) => type).toReversed()).toEqual([
      "workspace.created",
      "user.activated",
      "audit.auth.login",
    ]);
  },
);

/** The folder in which initdb works, once it has this file. */
function draft(file = ""): string | undefined {
  const name = existsSync(dataFolder())
    ? readdirSync(dataFolder()).find((entry) => /^postgres\.init-[-0-9a-f]+$/.test(entry))
    : undefined;
  const path = name === undefined ? undefined : join(dataFolder(), name, file);
  return path !== undefined && existsSync(path) ? path : undefined;
}

/** Whether the condition holds in the database; not as long as nobody can ask. */
async function holds(condition: string): Promise<boolean> {
  const database = databaseOf(dataFolder());
  if (!database) return false;
  const password = readFileSync(join(dataFolder(), "postgres.password"), "utf8");
  const owner = { host: database.host, user: OWNER_ROLE, password, database: "millrace" };
  try {
    const { rows } = await withClient(owner, (client) =>
      client.query(`select ${condition} as yes`),
    );
    return rows[0].yes;
  } catch {
    return false;
  }
}
