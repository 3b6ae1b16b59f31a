import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withClient } from "#kernel/db/owner.ts";
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

const MOMENT_LIMIT_MS = 60_000;
/** In the order in which they come about. Each stays true afterwards, so that a late look does no harm. */
const MOMENTS: readonly [Victims, string, () => boolean | Promise<boolean>][] = [
  ["parent", "it was just spawned", () => true],
  ["group", "initdb begins", () => clusterHas(".")],
  ["parent", "initdb has filled a database", () => clusterHas("base/1/PG_VERSION")],
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
    await until(async () => await moment(), MOMENT_LIMIT_MS);
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

/** Whether the cluster has this file already, in the folder in which initdb works or in its final place. */
function clusterHas(file: string): boolean {
  if (!existsSync(dataFolder())) return false;
  const folders = readdirSync(dataFolder()).filter((name) =>
    /^postgres(\.init-[^.]+)?$/.test(name),
  );
  return folders.some((name) => existsSync(join(dataFolder(), name, file)));
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
