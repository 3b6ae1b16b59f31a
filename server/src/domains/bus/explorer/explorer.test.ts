import type { CompiledQuery } from "kysely";
import { expect, test, vi } from "vitest";
import { domain } from "#kernel/domain.ts";
import { reader } from "#kernel/readers/reader.ts";
import { newId } from "#kernel/schema/id.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { domains } from "../../../app.ts";

let way: "passes" | "fails" | "handles" = "passes";
const handled: string[] = [];

/** Consumes one type, with behaviour controlled by the test. */
const poisoned = reader({
  name: "test.poisoned",
  on: ["order.poison"],
  startsAt: "beginning",
  async handle(_ctx, events) {
    if (way === "fails") throw new Error("It was poison.");
    if (way === "handles") handled.push(...events.map(({ id }) => id));
  },
});
const probe = domain({
  name: "probe",
  summary: "",
  permissions: [],
  events: [],
  operations: [],
  readers: [poisoned],
});

const world = await useWorld({ work: true, domains: [...domains, probe] });
const owner = await world.member(["owner"]);

async function publish(type: string, payload: object, topic = "orders"): Promise<string> {
  const answer = await owner(`POST /api/v1/events/topics/${topic}/publish`, { type, payload });
  expect(answer.status).toBe(201);
  return answer.body.data.id;
}

async function find(query: string, ask = owner) {
  const answer = await ask(`GET /api/v1/events/recent?${query}`);
  expect([answer.status, answer.events]).toEqual([200, []]);
  return answer.body;
}
const ids = async (query: string) => (await find(query)).data.map(({ id }: any) => id);

test("finds events by type, actor, resource, correlation, time and text, page by page", async () => {
  const placed = await publish("order.placed", { number: 1, note: 'A "quoted" Straße' });
  const paid = await publish("order.paid", { number: 1, note: { deep: ["Needle_7%"] } });
  const other = await publish("order.placed", { number: 2 }, "elsewhere");
  const on = "topic=orders";
  expect(await ids(on)).toEqual([paid, placed]);
  expect(await ids("type=order.placed")).toEqual([other, placed]);
  expect(await ids(`type=order.*&actorId=${owner.userId}`)).toEqual([other, paid, placed]);
  expect(await ids("type=order.*&actorId=usr_nobody")).toEqual([]);
  for (const q of ["needle_7%", "Needle", "deep"]) {
    expect(await ids(`${on}&q=${encodeURIComponent(q)}`)).toEqual([paid]);
  }
  expect(await ids(`${on}&q=${encodeURIComponent('"quoted"')}`)).toEqual([placed]);
  expect(await ids(`${on}&q=needleX7`)).toEqual([]);
  const [{ resource, correlationId, createdAt }] = (await find(`${on}&limit=1`)).data;
  expect(await ids(`resourceId=${resource.id}&type=order.paid`)).toEqual([paid]);
  expect(await ids(`correlationId=${correlationId}`)).toEqual([paid]);
  expect(await ids(`${on}&from=${createdAt}`)).toEqual([paid]);
  expect(await ids(`${on}&to=${createdAt}`)).toEqual([placed]);
  expect(await ids(`${on}&to=2020-01-01T00:00:00Z`)).toEqual([]);
  const first = await find("type=order.*&limit=2");
  expect(first.data.map(({ id }: any) => id)).toEqual([other, paid]);
  expect(first.pagination).toEqual({
    nextCursor: paid,
    hasMore: true,
    limit: 2,
    searchedTo: createdAt,
  });
  const second = await find(`type=order.*&limit=2&after=${paid}`);
  expect(second.data.map(({ id }: any) => id)).toEqual([placed]);
  expect(second.pagination).toMatchObject({ nextCursor: null, searchedTo: null });
});

test("finds rare events at any position and the root cause of a chain", async () => {
  const rare = await publish("order.rare", { code: "one of many" });
  const rows = (n: number) =>
    world.sql(
      `insert into events (epoch, workspace_id, environment, topic, type, actor_id, actor_type, actor_name,
                           resource_type, resource_id, correlation_id, created_at, data)
       select 1, $1, 'production', 'flood', 'flood.drop', 'x', 'system', 'x', 'drop', 'd', 'cor_flood', now(), '{}'
         from generate_series(1, $2)`,
      [world.home, n],
    );
  // More than two windows of a search.
  await rows(17_000);
  let after = "";
  const found: string[] = [];
  for (let page = 0; page < 100; page += 1) {
    const { data, pagination } = await find(`q=one%20of%20many${after}`);
    found.push(...data.map(({ id }: any) => id));
    if (pagination.nextCursor === null) break;
    after = `&after=${pagination.nextCursor}`;
  }
  expect(found).toEqual([rare]);
  const { createdAt } = (await find("type=order.rare&topic=orders")).data[0];
  expect(
    await ids(
      `from=${createdAt}&to=${new Date(Date.parse(createdAt) + 1).toISOString()}&topic=orders`,
    ),
  ).toEqual([rare]);
});

test("finds a correlation although the clocks of database and process differ", async () => {
  world.clock.advance(7_200_000);
  const far = await publish("order.far", {});
  const [{ correlationId }] = (await find("type=order.far&limit=1")).data;
  expect(await ids(`correlationId=${correlationId}`)).toEqual([far]);
});

test("finds times and correlations without reading the whole log", async () => {
  const [{ epoch }] = await world.sql("select epoch from installation");
  const begin = Date.parse("2026-01-01T00:00:00Z");
  const cor = (n: number) => newId("cor", begin + n * 1_000);
  const correlations = Array.from({ length: 20_000 }, (_, n) => cor(n));
  await world.sql(
    `insert into events (epoch, xid, tx, workspace_id, environment, topic, type, actor_id, actor_type, actor_name,
                         resource_type, resource_id, correlation_id, created_at, data)
     select $2, n::text::xid8, n::text::xid8, $1, 'production', 'past', 'past.event', 'x', 'system', 'x', 'past', 'p',
            c.id, $3::timestamptz + n * interval '1 second', '{}'
       from unnest($4::text[]) with ordinality as c (id, n)`,
    [world.home, epoch - 1, new Date(begin - 1_000).toISOString(), correlations],
  );
  await world.sql("analyze events");
  const { data, pagination } = await find(`correlationId=${correlations[9_000]}`);
  expect(data).toMatchObject([{ type: "past.event", correlationId: correlations[9_000] }]);
  expect(pagination.nextCursor).toBeNull();
  const time = (n: number) => new Date(begin + n * 1_000).toISOString();
  expect((await find(`from=${time(500)}&to=${time(503)}`)).data).toHaveLength(3);
  // The first call also reads the catalog to plan its statements.
  const blocks: number[] = [];
  for (let call = 0; call < 2; call += 1) {
    const [{ "QUERY PLAN": plan }] = await world.sql(
      `explain (analyze, buffers, format json)
       with place as materialized
         (select set_config('millrace.workspace', $1, true) || set_config('millrace.environment', 'production', true) as set)
       select l.* from place, log_position_at(($2 || left(place.set, 0))::timestamptz) l`,
      [world.home, time(10_000)],
    );
    const [{ Plan }] = typeof plan === "string" ? JSON.parse(plan) : plan;
    blocks.push(Plan["Shared Hit Blocks"] + Plan["Shared Read Blocks"]);
  }
  // Fifteen probes of about four pages each. An index scan would read thousands.
  expect(Math.min(...blocks)).toBeLessThan(200);
});

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly Plans?: readonly PlanNode[];
}

const nodesOf = (node: PlanNode): readonly PlanNode[] => [
  node,
  ...(node.Plans ?? []).flatMap(nodesOf),
];

/** The same object with a replaced method. */
const withMethod = <T extends object>(of: T, method: keyof T, instead: unknown): T =>
  new Proxy(of, {
    get(target, name) {
      if (name === method) return instead;
      const own: unknown = Reflect.get(target, name, target);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });

/** The access paths of a search's statements to the log, as planned by the database: indexes, or "Seq Scan". */
async function waysToLog(query: string): Promise<readonly string[]> {
  const ways = new Set<string>();
  const { db } = world.kernel;
  const read = db.read.bind(db);
  const spy = vi.spyOn(db, "read").mockImplementation((partition, work) =>
    read(partition, (tx) => {
      const executor = tx.getExecutor();
      const explain = async (compiled: CompiledQuery) => {
        const sql = `explain (format json) ${compiled.sql}`;
        const { rows } = await executor.executeQuery<any>({ ...compiled, sql });
        const plans = rows.flatMap((row) => row["QUERY PLAN"]).map(toPlan);
        for (const node of plans.flatMap(nodesOf)) {
          const index = node["Index Name"];
          // The primary key only reads found rows.
          if (index?.startsWith("events_") && index !== "events_pkey") ways.add(index);
          const isRead = node["Relation Name"] === "events";
          if (isRead && !/Index|Bitmap/.test(node["Node Type"])) ways.add(node["Node Type"]);
        }
        return executor.executeQuery(compiled);
      };
      const explained = withMethod(executor, "executeQuery", explain);
      return work(withMethod(tx, "getExecutor", () => explained));
    }),
  );
  try {
    await find(query);
  } finally {
    spy.mockRestore();
  }
  return [...ways].toSorted();
}

const toPlan = (plan: any): PlanNode =>
  typeof plan === "string" ? JSON.parse(plan)[0].Plan : plan.Plan;

test("every filter uses an index of the log, for any length of the log", async () => {
  const rare = (await find("type=order.rare&topic=orders")).data[0];
  const caused = newId("cor");
  const past = "from=2026-01-01T01:00:00Z&to=2026-01-01T01:00:03Z";
  const filter = encodeURIComponent(JSON.stringify({ code: "one of many" }));
  const ways = {
    nothing: await waysToLog("limit=20"),
    topic: await waysToLog("topic=orders"),
    type: await waysToLog("type=order.*"),
    actorId: await waysToLog(`actorId=${owner.userId}`),
    resourceType: await waysToLog("resourceType=topic"),
    resourceId: await waysToLog(`resourceId=${rare.resource.id}`),
    correlationId: await waysToLog(`correlationId=${caused}`),
    from: await waysToLog(past),
    q: await waysToLog("q=one%20of%20many"),
    filter: await waysToLog(`topic=orders&type=order.*&filter=${filter}`),
    all: await waysToLog(
      `topic=orders&type=order.rare&actorId=${owner.userId}&resourceId=${rare.resource.id}&q=many`,
    ),
  };
  const inOrder = ["events_order"];
  expect(ways).toEqual({
    nothing: inOrder,
    topic: ["events_topic"],
    type: inOrder,
    actorId: inOrder,
    resourceType: inOrder,
    resourceId: ["events_resource"],
    // Caused events by correlation, others by the time contained in its id.
    correlationId: ["events_caused", "events_order"],
    from: inOrder,
    q: inOrder,
    filter: ["events_topic"],
    all: ["events_resource"],
  });
});

test("users without access to the audit log or an event cannot find it by text", async () => {
  const viewer = await world.member(["viewer"]);
  await owner("POST /api/v1/settings/users/invite", { email: "hidden-guest@example.com" });
  expect(await ids("q=hidden-guest")).not.toEqual([]);
  const seen = (await find("q=hidden-guest", viewer)).data;
  expect(seen.filter(({ type }: any) => type.startsWith("audit."))).toEqual([]);
  const stranger = await world.member(["owner"], await world.workspace("elsewhere"));
  expect((await find("type=order.*", stranger)).data).toEqual([]);
  for (const query of ["after=x", "type=[", "from=yesterday", `q=${"x".repeat(201)}`]) {
    expect((await owner(`GET /api/v1/events/recent?${query}`)).status).toBe(422);
  }
});

test("lists the consumers of a topic", async () => {
  await owner("POST /api/v1/webhooks", {
    name: "Shop",
    url: "https://shop.example.com/hook",
    events: ["order.*"],
  });
  const { body } = await owner("GET /api/v1/events/topics/orders/followers");
  expect(body.data.types).toContain("order.paid");
  expect(body.data.followers).toContainEqual(
    expect.objectContaining({
      kind: "webhook",
      name: "Shop",
      hears: ["order.*"],
      status: "active",
    }),
  );
  const incident = (await owner("GET /api/v1/events/topics/incident/followers")).body.data;
  expect(incident.followers.map(({ kind }: any) => kind)).toContain("reader");
  const viewer = await world.member(["viewer"]);
  expect((await viewer("GET /api/v1/events/topics/audit/followers")).status).toBe(403);
});

test("shows the reason for a dead letter and supports retry and discard", async () => {
  const letters = async () => (await owner("GET /api/v1/events/dead-letters")).body.data;
  const path = (id: string) => `/api/v1/events/dead-letters/test.poisoned/${id}`;
  const first = await publish("order.poison", { n: 1 });
  const second = await publish("order.poison", { n: 2 });
  await until(async () => {
    const rows = await world.sql(
      "select from readers r, events e where r.name = 'test.poisoned' and e.type = 'order.poison' and (r.epoch, r.xid, r.seq) < (e.epoch, e.xid, e.seq)",
    );
    return rows.length === 0;
  });
  await world.sql(
    `insert into parked_events (reader, epoch, xid, seq, workspace_id, environment, error, parked_at)
     select 'test.poisoned', epoch, xid, seq, workspace_id, environment, 'Once.', now() from events
      where type = 'order.poison'`,
  );
  expect(await letters()).toMatchObject([
    { eventId: second, reader: "test.poisoned", error: "Once.", event: { id: second } },
    { eventId: first },
  ]);
  way = "fails";
  const again = await owner(`POST ${path(first)}/retry`);
  expect([again.status, again.body.code, again.body.detail, again.events]).toEqual([
    409,
    "retry_failed",
    "It was poison.",
    [],
  ]);
  expect((await letters())[1].error).toBe("It was poison.");
  way = "handles";
  const stranger = await world.member(["owner"], await world.workspace("aside"));
  const builder = await world.member(["builder"]);
  expect((await stranger(`POST ${path(first)}/retry`)).status).toBe(404);
  expect((await builder(`POST ${path(first)}/retry`)).status).toBe(403);
  const both = await Promise.all([0, 1].map(() => owner(`POST ${path(first)}/retry`)));
  expect(both.map(({ status }) => status).toSorted()).toEqual([204, 404]);
  expect(both.flatMap(({ events }) => events)).toEqual(["dead_letter.retried"]);
  const skipped = await owner(`DELETE ${path(second)}`);
  expect([skipped.status, skipped.events]).toEqual([204, ["dead_letter.skipped"]]);
  expect([handled, await letters()]).toEqual([[first], []]);
});
