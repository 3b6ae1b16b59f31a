import { rm, writeFile } from "node:fs/promises";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventIdOf } from "#kernel/log/event.ts";
import { makeSharedFolder } from "#kernel/testing/shared-folder.ts";
import { until } from "#kernel/testing/world.ts";
import { writeBundle } from "../build-server.ts";
import { useServerDatabase } from "./testing/server-database.ts";
import {
  all,
  type Ask,
  asker,
  dataFolder,
  kill,
  launch,
  logIn,
  useProducts,
} from "./testing/product.ts";

const PROBE_SQL = `
  create table probe_effects (event_id text not null, node text not null);
  create table probe_jobs (event_id text not null, node text not null);
  grant select, insert on probe_effects, probe_jobs to millrace_app`;
/** The number of concurrent jobs per node. */
const HANDS = 2;
const WORKSPACES = 6;
const UPDATES = 120;
/** A new lease is longer than this; an attempt abandoned at the gate is due earlier. */
const CLAIMED = "where kind = 'probe.mark' and due_at > now() + interval '9 seconds'";
/** For a busy machine. */
const WORK_LIMIT_MS = 50_000;
/** For a busy machine. Without a notification, a node would use its cache for 30 seconds. */
const LOGOUT_LIMIT_MS = 20_000;

// First, so that the database is dropped after the products have ended: hooks run in reverse.
const database = useServerDatabase({ isEmpty: true });
useProducts();

test("two nodes starting at once on an empty database share one owner and all sessions; a reader's effect and its enqueued job happen once per event, even if one node is killed", async () => {
  const { nodes, addresses, gate } = await launchProbes();
  const asks = await signIn(addresses);
  const slugs = await makeWorkspaces(asks[0]);
  await Promise.all(slugs.map((slug) => updateOften(slug, UPDATES / WORKSPACES, asks)));
  // Repeats until each node had its turn at both.
  await until(async () => {
    await Promise.all(slugs.map((slug) => updateOften(slug, 2, asks)));
    const turns = "select count(distinct node)::int as nodes from";
    const counts = await database.rows(`${turns} probe_effects union all ${turns} probe_jobs`);
    return counts.every((count) => count.nodes === 2);
  }, WORK_LIMIT_MS);
  await assertOnce();

  await writeFile(gate, "");
  let updates = 0;
  let killed: Promise<void> | undefined;
  const onAnswer = (): void => {
    updates += 1;
    if (updates === UPDATES / 2) killed = whenAtWork().then(() => kill(nodes[0]!, "group"));
  };
  await Promise.all(slugs.map((slug) => updateOften(slug, UPDATES / WORKSPACES, asks, onAnswer)));
  await killed;
  expect(nodes[0]?.child.signalCode).toBe("SIGKILL");
  // Ends all leases, including those of the live node: slow work must not count twice either.
  await database.rows(`update jobs set due_at = now() ${CLAIMED}`);
  await rm(gate);
  await assertOnce();
});

/** A bundle, because a start from the sources took eight seconds of CPU time. */
async function builtProbe(): Promise<string> {
  const folder = await makeSharedFolder("probe", (draft) =>
    writeBundle({ probe: "process/probe.ts" }, draft),
  );
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".mjs"))) {
    // A single character beyond ASCII doubles the memory of the whole text, and is not escaped in tagged templates.
    expect([
      name,
      readFileSync(join(folder, name), "latin1").match(/.{20}[^\0-\x7f].{20}/s),
    ]).toEqual([name, null]);
  }
  return folder;
}

/** Two nodes with the probe, started at once, and a file that blocks all jobs. */
async function launchProbes() {
  await database.rows(PROBE_SQL);
  const gate = `${dataFolder()}.gate`;
  const program = join(await builtProbe(), "probe.mjs");
  const nodes = ["one", "other"].map((node) => launch(database.env, [program, node, gate]));
  const [one = "", other = ""] = await Promise.all(nodes.map(({ ready }) => ready));
  expect(await database.rows("select slug from workspaces")).toEqual([{ slug: "default" }]);
  expect(await database.rows("select email, password_hash as hash from users")).toEqual([
    { email: "admin@example.com", hash: expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,/) },
  ]);
  expect(await database.rows("select type from events order by epoch, xid, seq")).toEqual([
    { type: "workspace.created" },
    { type: "user.activated" },
  ]);
  return { nodes, addresses: [one, other] as const, gate };
}

/** A caller of both nodes with one session, after another session has ended on both. */
async function signIn([one, other]: readonly [string, string]): Promise<readonly [Ask, Ask]> {
  const past = await logIn(one);
  for (const address of [one, other]) {
    const workspaces = await all(asker(address, past), "/api/v1/workspaces");
    expect(workspaces.map(({ slug }) => slug)).toEqual(["default"]);
  }
  expect((await asker(one, past)("POST /api/v1/auth/logout")).status).toBe(204);
  const isOut = async (): Promise<boolean> =>
    (await asker(other, past)("GET /api/v1/auth/me")).status === 401;
  await until(isOut, LOGOUT_LIMIT_MS);
  const token = await logIn(one);
  return [asker(one, token), asker(other, token)];
}

/** Both nodes are fully loaded: one of them alone could not have claimed as many. */
async function whenAtWork(): Promise<void> {
  const claimed = `select from jobs ${CLAIMED}`;
  await until(async () => (await database.rows(claimed)).length >= 2 * HANDS, WORK_LIMIT_MS);
}

async function makeWorkspaces(ask: Ask): Promise<string[]> {
  const slugs = Array.from({ length: WORKSPACES }, (_, n) => `updated-${n}`);
  for (const slug of slugs) {
    expect((await ask("POST /api/v1/workspaces", { slug, name: slug })).status).toBe(201);
  }
  return slugs;
}

/** Alternates between both nodes. After a kill, uses the other one. */
async function updateOften(
  slug: string,
  times: number,
  asks: readonly [Ask, Ask],
  onAnswer = (): void => undefined,
): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    const [first, second] = n % 2 === 0 ? asks : asks.toReversed();
    const update = (ask = first): ReturnType<Ask> =>
      ask!(`PATCH /api/v1/workspaces/${slug}`, { description: String(n) }, { "x-workspace": slug });
    const { status } = await update().catch(() => update(second));
    expect(status).toBe(200);
    onAnswer();
  }
}

/** Waits until no work is left, and then finds each event of a workspace once in both tables. */
async function assertOnce(): Promise<void> {
  const effects = 'select event_id from probe_effects order by event_id collate "C"';
  const jobs = 'select event_id from probe_jobs order by event_id collate "C"';
  const rows = await database.rows(
    "select epoch, xid, seq from events where type like 'workspace.%' order by epoch, xid, seq",
  );
  const ids = rows.map(({ epoch, xid, seq }) => ({
    event_id: eventIdOf({ epoch, xid: Number(xid), seq: Number(seq) }),
  }));
  await until(async () => (await database.rows(effects)).length >= ids.length, WORK_LIMIT_MS);
  await until(
    async () => (await database.rows("select from jobs where kind = 'probe.mark'")).length === 0,
    WORK_LIMIT_MS,
  );
  expect(await database.rows(effects)).toEqual(ids);
  expect(await database.rows(jobs)).toEqual(ids);
}
