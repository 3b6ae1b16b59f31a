import { beforeAll, describe, expect, test } from "vitest";
import type { Ask } from "#kernel/testing/world.ts";
import { type FilledTable, createFilledTable } from "./testing/records.ts";
import { columns, useRuledTables } from "./testing/ruled-table.ts";

const { world, owner, agent, member, builder, auditor, create: make } = await useRuledTables();

describe("members receive events according to the access rules", () => {
  let table: FilledTable;
  let open: FilledTable;
  let id: string;
  let since: string;
  let traced: string;

  beforeAll(async () => {
    table = await make();
    open = await createFilledTable(world, owner, { columns }, []);
    since = (await owner("GET /api/v1/audit?limit=1")).body.data[0].id;
    const body = { title: "tale", salary: 10, state: "open" };
    id = (await owner(`POST ${table.path}`, body)).body.data.id;
    const place = `${table.path}/${id}`;
    await owner(`PATCH ${place}`, { title: "Tale", salary: 11 });
    await owner(`PATCH ${place}`, { salary: 12 });
    await owner(`PATCH ${place}`, { state: null });
    await owner(`PATCH ${place}`, { title: "hidden" });
    await owner(`PATCH ${place}`, { state: "closed" });
    await owner(`DELETE ${place}`);
    await owner(`POST ${open.path}`, { title: "free", salary: 1 });
    traced = (await owner(`GET /api/v1/audit?resourceId=${id}`)).body.data.at(-1).id;
    await world.settled();
  });

  /** Shortens an event to its verb and the visible fields of the record. */
  function short({ type, data, resource }: any): string {
    const state = (record: any) =>
      [record.title, record.salary, record.state].map((value) => value ?? "-").join(" ");
    const what = data.after
      ? `${state(data.before)} → ${state(data.after)} (${data.changes.join()})`
      : state(data);
    return `${type.slice("record.".length)} ${what} [${resource.displayName ?? "-"}]`;
  }

  const FREE = "created free 1 - [free]";
  const WHOLE = [
    "created tale 10 open [tale]",
    "updated tale 10 open → Tale 11 open (title,salary) [Tale]",
    "updated Tale 11 open → Tale 12 open (salary) [Tale]",
    "updated Tale 12 open → Tale 12 - (state) [Tale]",
    "updated Tale 12 - → hidden 12 - (title) [hidden]",
    "updated hidden 12 - → hidden 12 closed (state) [hidden]",
    "deleted hidden 12 closed [hidden]",
  ];
  // Agents can't see salaries. Events of hidden records contain no state, and those of closed records only this
  // field.
  const TO_AGENTS = [
    "created tale - open [tale]",
    "updated tale - open → Tale - open (title) [Tale]",
    "updated Tale - open → - - - (state) [Tale]",
    "updated - - - → - - closed (state) [-]",
    "deleted - - closed [-]",
  ];
  const TO_AUDITORS = [
    "created tale - - [tale]",
    "updated tale - - → Tale - - (title) [Tale]",
    "updated Tale - - → hidden - - (title) [hidden]",
    "deleted hidden - - [hidden]",
  ];

  test("on the bus", async () => {
    const heard = async (ask: Ask, topic = "record") => {
      const { body } = await ask(
        `GET /api/v1/events/topics/${topic}/events?after=${since}&limit=200`,
      );
      return body.data.map(short);
    };
    expect(await heard(owner)).toEqual([...WHOLE, FREE]);
    expect(await heard(agent)).toEqual([...TO_AGENTS, FREE]);
    expect(await heard(builder)).toEqual([FREE]);
    expect(await heard(auditor, "platform.events")).toEqual([...TO_AUDITORS, FREE]);
  });

  test("page by page, with nothing lost on the way", async () => {
    const pages: string[][] = [];
    let after = since;
    for (let more = true; more;) {
      const route = `GET /api/v1/events/topics/record/events?after=${after}&limit=2`;
      const { body } = await agent(route);
      pages.push(body.data.map(short));
      after = body.pagination.nextCursor;
      more = body.pagination.hasMore;
    }
    expect(pages.flat()).toEqual([...TO_AGENTS, FREE]);
    // A long poll must not return early because of hidden events.
    const waited = await builder(
      `GET /api/v1/events/topics/record/events?after=${since}&limit=1&timeout=1000`,
    );
    expect(waited.body.data.map(short)).toEqual([FREE]);
  });

  test("live", async () => {
    const follow = async (ask: Ask, limit: number) => {
      const route = `GET /api/v1/events/topics/record/stream?after=${since}&limit=${limit}`;
      const { body } = await ask(route);
      const lines = (body as string).split("\n").filter((line) => line.startsWith("data: "));
      return lines.map((line) => short(JSON.parse(line.slice("data: ".length))));
    };
    expect(await follow(agent, 6)).toEqual([...TO_AGENTS, FREE]);
    expect(await follow(builder, 1)).toEqual([FREE]);
  });

  test("in the audit log", async () => {
    const found = async (ask: Ask, query: string) =>
      (await ask(`GET /api/v1/audit?${query}`)).body.data.map(short).toReversed();
    expect(await found(owner, `resourceId=${id}`)).toEqual(WHOLE);
    expect(await found(auditor, `resourceId=${id}`)).toEqual(TO_AUDITORS);
    const page = await auditor(`GET /api/v1/audit?resourceId=${id}&limit=2`);
    expect(page.body.data.map(short)).toEqual(TO_AUDITORS.slice(-1));
    expect(page.body.pagination.hasMore).toBe(true);
    const whole = (await owner(`GET /api/v1/audit?resourceId=${id}`)).body.data;
    const ids = whole.map((event: any) => event.id).toReversed();
    const one = async (index: number) => {
      const { status, body } = await auditor(`GET /api/v1/audit/${ids[index]}`);
      return status === 200 ? short(body.data) : status;
    };
    expect(await one(0)).toBe(TO_AUDITORS[0]);
    expect(await one(2)).toBe(404);
    expect((await auditor(`GET /api/v1/events/${ids[2]}/trace`)).status).toBe(404);
    const { body } = await auditor(`GET /api/v1/events/${traced}/trace`);
    expect(body.data.events.map(short)).toEqual([TO_AUDITORS[0]]);
  });

  test("in the history of the record", async () => {
    const told = async (ask: Ask) => {
      const { status, body } = await ask(`GET ${table.path}/${id}/history`);
      return status === 200 ? body.data.map(short).toReversed() : status;
    };
    expect(await told(owner)).toEqual(WHOLE);
    expect(await told(agent)).toEqual(TO_AGENTS);
    expect(await told(builder)).toBe(404);
    expect(await told(member)).toBe(404);
  });

  test("a webhook preview filters only on fields that the caller may see", async () => {
    const shown = async (filter: object) => {
      const body = { events: ["record.*"], filter: { "data.tableSlug": table.slug, ...filter } };
      const answer = await builderOfAgents(`POST /api/v1/webhooks/preview`, body);
      return answer.body.data.events.map(short).toReversed();
    };
    const builderOfAgents = await world.member(["builder", "agent"]);
    expect(await shown({})).toEqual(TO_AGENTS);
    expect(await shown({ "data.salary": { gte: 10 } })).toEqual([]);
    expect(await shown({ "data.title": "hidden" })).toEqual([]);
  });

  test("only members without access rules see events of a deleted table", async () => {
    const gone = await make();
    const made = await owner(`POST ${gone.path}`, { title: "late", state: "open" });
    const last = made.body.data.id;
    const audit = async (ask: Ask) => {
      const { body } = await ask(`GET /api/v1/audit?resourceId=${last}`);
      return body.data.map(short);
    };
    expect(await audit(auditor)).toEqual(["created late - - [late]"]);
    await owner(`DELETE /api/v1/tables/${gone.slug}`);
    expect(await audit(auditor)).toEqual([]);
    expect(await audit(owner)).toEqual(["created late - open [late]"]);
    // A new table with the same name is another table, even if it is created immediately.
    const { slug } = gone;
    await owner("POST /api/v1/tables", { name: slug, slug, columns });
    expect(await audit(auditor)).toEqual([]);
    expect(await audit(owner)).toEqual(["created late - open [late]"]);
  });

  test("only members without access rules see fields whose column has changed", async () => {
    const fields = [
      { name: "title", type: "text" },
      { name: "state", type: "text" },
    ];
    const open = { roles: ["agent"], actions: ["read"], where: { state: { ne: "secret" } } };
    const all = { roles: ["builder"], actions: ["read"] };
    const changed = await createFilledTable(
      world,
      owner,
      { columns: fields, rules: [open, all] },
      [],
    );
    const body = { title: "plan", state: "secret" };
    const { data } = (await owner(`POST ${changed.path}`, body)).body;
    const told = async (ask: Ask, record = data.id) => {
      const { status, body: found } = await ask(`GET ${changed.path}/${record}/history`);
      return status === 200 ? found.data.map(({ type }: any) => type) : status;
    };
    expect(await told(agent)).toBe(404);
    const place = `/api/v1/tables/${changed.slug}`;
    const { status } = await owner(`PATCH ${place}`, {
      renameColumns: { state: "status" },
    });
    expect(status).toBe(200);
    expect(await told(agent)).toBe(404);
    expect(await told(owner)).toEqual(["record.created"]);
    expect(await told(builder)).toEqual(["record.created"]);
    const later = await owner(`POST ${changed.path}`, { title: "later", status: "public" });
    expect(await told(agent, later.body.data.id)).toEqual(["record.created"]);
  });
});
