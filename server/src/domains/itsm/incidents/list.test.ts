import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { systemCaller } from "#kernel/access/caller.ts";
import { SEND_TEXT, sendText, type Tx } from "#kernel/db/connection.ts";
import { setPartitionSql } from "#kernel/db/partition.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { type IncidentQuery, listIncidents } from "./list.ts";
import { openIncidentsOn } from "./store.ts";

const PATH = "/api/v1/itsm/incidents";
const numbers = new Map<string, string>();

const world = await useWorld();
const owner = await world.member(["owner"]);
const agent = await world.member(["agent"]);
const mates = [
  ["Mine", [agent.userId]],
  ["Mine too", [agent.userId]],
  ["Theirs", []],
] as const;
const teams: string[] = [];
for (const [name, memberIds] of mates) {
  const { body } = await owner("POST /api/v1/itsm/teams", { name, memberIds });
  teams.push(body.data.id);
}
const other = await world.member(["agent"]);
beforeAll(async () => {
  const [mine, mineToo, theirs] = teams;
  const urgent = { impact: 1, urgency: 1 };
  const rows: [string, object][] = [
    ["nobody's", {}],
    ["mine", { assigneeId: agent.userId }],
    ["mine in their team", { assigneeId: agent.userId, teamId: theirs, ...urgent }],
    ["waits", { teamId: mine }],
    ["waits urgently", { teamId: mineToo, ...urgent }],
    ["taken", { teamId: mine, assigneeId: other.userId }],
    ["theirs", { teamId: theirs }],
    ["mine and done", { assigneeId: agent.userId, teamId: mine }],
  ];
  for (const [title, more] of rows) {
    const { body } = await owner(`POST ${PATH}`, { title, ...more });
    numbers.set(title, body.data.number);
    world.clock.advance(1_000);
  }
  const done = { resolution: "Done" };
  await owner(`POST ${PATH}/${numbers.get("mine and done")}/resolve`, done);
});

async function titles(query: string): Promise<string[]> {
  const { body, status } = await agent(`GET ${PATH}?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data.map(({ title }: { title: string }) => title);
}

test("the list is newest first, and filtered", async () => {
  const all = [...numbers.keys()];
  expect(await titles("")).toEqual(all.toReversed());
  expect(await titles("sort=number")).toEqual(all);
  expect(await titles("state=resolved")).toEqual(["mine and done"]);
  expect(await titles("state=resolved,closed,cancelled")).toEqual(["mine and done"]);
  expect(await titles("state=new&priority=1")).toEqual(["waits urgently", "mine in their team"]);
  expect(await titles(`teamId=${teams[0]}`)).toEqual(["mine and done", "taken", "waits"]);
  expect(await titles(`assigneeId=${agent.userId}&sort=title`)).toEqual([
    "mine",
    "mine and done",
    "mine in their team",
  ]);
  expect(await titles("q=URGENT")).toEqual(["waits urgently"]);
  expect(await titles(`q=${numbers.get("taken")}`)).toEqual(["taken"]);
  const filter = encodeURIComponent('{"priority":{"lte":2},"teamId":{"exists":true}}');
  expect(await titles(`filter=${filter}`)).toEqual(["waits urgently", "mine in their team"]);
  expect((await agent(`GET ${PATH}?count=exact&limit=1`)).body.pagination.total).toBe(all.length);
  for (const bad of ["state=open", "state=new,", "priority=9", "mine=perhaps", "sort=ciIds"]) {
    expect((await agent(`GET ${PATH}?${bad}`)).status, bad).toBe(422);
  }
});

test("`mine` lists the caller's open incidents, `queue` also those of the caller's teams, most urgent first", async () => {
  expect(await titles("mine=true")).toEqual(["mine in their team", "mine"]);
  const queue = ["mine in their team", "waits urgently", "mine", "waits"];
  expect(await titles("queue=true")).toEqual(queue);
  expect(await titles("queue=true&sort=title")).toEqual(queue.toSorted());
  expect(await titles("queue=true&priority=5")).toEqual(["mine", "waits"]);
  const seen: string[] = [];
  let after = "";
  do {
    const { body } = await agent(`GET ${PATH}?queue=true&limit=1&count=exact${after}`);
    expect(body.pagination.total).toBe(queue.length);
    seen.push(...body.data.map(({ title }: { title: string }) => title));
    after = body.pagination.hasMore ? `&after=${body.pagination.nextCursor}` : "";
  } while (after !== "");
  expect(seen).toEqual(queue);
});

test("configuration items are stored once, and list the incident while it is open", async () => {
  const items: string[] = [];
  for (const name of ["mail-1", "mail-2"]) {
    const { body } = await owner("POST /api/v1/cmdb/items", { name, class: "server" });
    items.push(body.data.id);
  }
  const [first = "", second = ""] = items.toSorted();
  const raised = await owner(`POST ${PATH}`, { title: "No mail", ciIds: [second, first, second] });
  const { id, number } = raised.body.data;
  expect(raised.body.data.ciIds).toEqual([first, second]);
  expect((await owner(`GET ${PATH}/${id}`)).body).toEqual(raised.body);
  const same = await owner(`PATCH ${PATH}/${id}`, { ciIds: [second, first] });
  expect(same).toMatchObject({ status: 200, events: [] });
  const filter = encodeURIComponent(JSON.stringify({ ciIds: { contains: first } }));
  expect(await titles(`filter=${filter}`)).toEqual(["No mail"]);

  const openOn = (...itemIds: string[]) =>
    world.kernel.db.read(here(), (tx) => openIncidentsOn(tx, itemIds));
  const about = { kind: "incident", id, number, title: "No mail", state: "new", priority: 5 };
  expect(await openOn(second)).toEqual([{ itemId: second, ...about }]);
  expect((await openOn(first, second)).map(({ itemId }) => itemId).toSorted()).toEqual([
    first,
    second,
  ]);
  const fewer = await owner(`PATCH ${PATH}/${id}`, { ciIds: [second] });
  expect(fewer).toMatchObject({
    events: ["incident.updated"],
    body: { data: { ciIds: [second] } },
  });
  const { data } = (await owner("GET /api/v1/audit?limit=1")).body.data[0];
  expect(data).toMatchObject({
    before: { ciIds: [first, second] },
    after: { ciIds: [second] },
    changes: ["ciIds"],
  });
  expect(await openOn(first)).toEqual([]);
  await owner(`POST ${PATH}/${id}/resolve`, { resolution: "Done" });
  expect(await openOn(second)).toEqual([]);
});

function here() {
  return { workspace: world.home, environment: "production" } as const;
}

interface Sent {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Returns the statements of a list, with the last one's plan when other access paths are disabled. */
async function planOf(question: Partial<IncidentQuery>): Promise<string> {
  const partition = here();
  const sent: Sent[] = [];
  await world.kernel.db.read(partition, (tx) => {
    const caller = {
      ...systemCaller(partition, { correlationId: "cor_1", depth: 0 }),
      principal: { id: agent.userId, roles: [] },
    };
    const ctx = { tx: recording(tx, sent), now: new Date(), caller, services: world.kernel };
    return listIncidents(ctx, { limit: 50, ...question });
  });
  const last = sent.at(-1);
  const client = new pg.Client(world.database.app);
  await client.connect();
  await client.query(setPartitionSql(partition, "session"));
  for (const way of ["seqscan", "sort", "bitmapscan"]) {
    await client.query(`set enable_${way} = off`);
  }
  const { rows } = await client.query(`explain ${last?.text}`, [...(last?.values ?? [])]);
  await client.end();
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}

function recording(tx: Tx, sent: Sent[]): Tx {
  return new Proxy(tx, {
    get: (target, name) => {
      if (name !== SEND_TEXT) {
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      }
      return (text: string, values: readonly unknown[]) => {
        sent.push({ text, values });
        return sendText(target, text, values);
      };
    },
  });
}

describe("among many", () => {
  beforeAll(async () => {
    await world.sql(
      `insert into incidents (id, workspace_id, environment, no, number, title, description, state,
              impact, urgency, priority, severity, category, assignee_id, team_id, created_by,
              created_at, updated_at)
       select 'inc_' || lpad(n::text, 26, '0'), $1, 'production', 1000 + n, 'INC' || 1000 + n, 'One of many',
              '', case when n % 3 = 0 then 'new' else 'closed' end, 3, 3, 1 + n % 5, 'low', '',
              case when n % 2 = 0 then $2 when n % 5 > 1 then 'usr_' || n % 100 end,
              case when n % 7 = 0 then $3 else 'tem_' || n % 50 end, 'usr_0', now() - n * interval '1 minute', now()
         from generate_series(1, 6000) as n`,
      [world.home, agent.userId, teams[0]],
    );
    await world.sql("analyze incidents");
  });

  test.each<[Partial<IncidentQuery>, RegExp]>([
    [{}, /incidents_newest/],
    [{ mine: true }, /incidents_mine\b/],
    [{ mine: true, sort: "priority,createdAt" }, /incidents_mine_by_priority/],
    [{ state: "new" }, /incidents_state/],
    [{ state: "new,in_progress", sort: "priority,createdAt" }, /incidents_open_by_priority/],
    [{ queue: true }, /Merge Append[^]*incidents_mine_by_priority[^]*incidents_untaken/],
  ])("%j is served by an index, without a sort", async (question, way) => {
    const plan = await planOf(question);
    expect(plan).toMatch(way);
    expect(plan).not.toMatch(/Seq Scan|Sort  /);
  });
});
