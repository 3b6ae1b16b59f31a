/**
 * Data leak test: calls everything that users without access to tickets can read, with every existing id, and checks
 * that the responses contain no data of others.
 */
import { Value } from "typebox/value";
import { expect, test } from "vitest";
import type { Operation } from "#kernel/contract.ts";
import { sweptOperations } from "#kernel/testing/sweep.ts";
import { IS_THOROUGH, tries } from "#kernel/testing/thorough.ts";
import { type Ask, useWorld } from "#kernel/testing/world.ts";

/** Part of every text that requesters must not see. */
const MARK = "zyxwvut";
const world = await useWorld({ work: true });
const elsewhere = await world.workspace("elsewhere");
const [owner, agent, victim, requester, member, leaver, foreigner] = await Promise.all([
  world.member(["owner"]),
  world.member(["agent"]),
  world.member(["requester"]),
  world.member(["requester"]),
  world.member(["member"]),
  world.member(["member"]),
  world.member(["owner"], elsewhere),
]);

async function made(ask: Ask, path: string, body: object): Promise<any> {
  const answer = await ask(`POST ${path}`, body);
  expect([path, answer.status]).toEqual([path, expect.toSatisfy((status) => status < 300)]);
  return answer.body.data;
}

/** Internal notes of a ticket, which its parties cannot see. */
async function noteInside(path: string): Promise<string[]> {
  const comment = await made(agent, `${path}/comments`, { body: MARK, internal: true });
  const file = { name: `${MARK}.log`, content: MARK, internal: true };
  const attachment = await made(agent, `${path}/attachments`, file);
  return [comment.id, attachment.id];
}

/** Tickets, contacts and drafts of others. Resolves to all their ids and names. */
async function arrange(): Promise<string[]> {
  const text = { title: `${MARK} title`, description: `${MARK} description` };
  const contact = await made(agent, "/api/v1/itsm/contacts", {
    name: MARK,
    address: `${MARK}@${MARK}.example`,
    notes: MARK,
  });
  const firm = await made(agent, "/api/v1/itsm/organisations", { name: MARK, notes: MARK });
  const tickets = [
    await made(agent, "/api/v1/itsm/incidents", { ...text, category: MARK, callerId: contact.id }),
    await made(victim, "/api/v1/itsm/incidents", text),
    await made(agent, "/api/v1/itsm/changes", text),
    await made(agent, "/api/v1/itsm/problems", text),
  ];
  const paths = ["incidents", "incidents", "changes", "problems"].map(
    (kind, index) => `/api/v1/itsm/${kind}/${tickets[index].id}`,
  );
  const item = await made(owner, "/api/v1/catalog/items", {
    name: "Laptop",
    form: { type: "object", properties: { why: { type: "string" } } },
    tasks: [{ title: `${MARK} plan` }],
  });
  const asked = { itemId: item.id, values: { why: MARK }, description: MARK };
  const request = await made(victim, "/api/v1/catalog/requests", asked);
  tickets.push(request);
  paths.push(`/api/v1/catalog/requests/${request.id}`);
  const inside: string[] = [];
  for (const path of paths) {
    inside.push(...(await noteInside(path)));
    inside.push((await made(agent, `${path}/comments`, { body: `${MARK} public` })).id);
  }
  const absence = await made(agent, "/api/v1/itsm/absences", {
    from: "2026-01-01T00:00:00Z",
    until: "2031-01-01T00:00:00Z",
    note: MARK,
  });
  inside.push(absence.id);
  await made(agent, `${paths[0]}/links`, { ticketId: tickets[1].id });
  await agent(`PATCH ${paths[0]}`, { state: "on_hold", onHoldReason: MARK });
  await agent(`POST ${paths[1]}/resolve`, { resolution: MARK });
  await victim(`POST ${paths[1]}/rate`, { satisfaction: 1, comment: MARK });
  const article = await made(agent, "/api/v1/knowledge", { title: MARK, body: MARK });
  // Own tickets also have internal parts.
  for (const ask of [requester, member, leaver]) {
    const own = await made(ask, "/api/v1/itsm/incidents", { title: "Mine" });
    inside.push(own.id, ...(await noteInside(`/api/v1/itsm/incidents/${own.id}`)));
    await agent(`PATCH /api/v1/itsm/incidents/${own.id}`, { category: MARK });
    await made(agent, `/api/v1/itsm/incidents/${own.id}/merge`, { intoId: tickets[0].id });
  }
  const ordered = await made(requester, "/api/v1/catalog/requests", {
    itemId: item.id,
    values: {},
  });
  const tasks = `/api/v1/catalog/requests/${ordered.id}/tasks`;
  const task = await made(agent, tasks, { title: MARK, description: MARK });
  await agent(`POST ${tasks}/${task.id}/complete`, { notes: MARK });
  inside.push(ordered.id, task.id);
  return [contact.id, firm.id, article.id, item.id, ...inside]
    .concat(tickets.flatMap(({ id, number }) => [id, number]))
    .concat([victim.userId, agent.userId]);
}

/** All names, and one id of each kind: for free text parameters, an id is an unknown name. */
function oneOfEach(names: readonly string[]): string[] {
  const byKind = Map.groupBy(names, (name) => /^[a-z]+(?=_)/.exec(name)?.[0] ?? name);
  return [...byKind.values()].flatMap(([first = ""]) => first);
}

/** The calls of an operation with all matching parameter values. */
function callsOf(op: Operation, names: readonly string[]): string[] {
  let paths = [op.route.slice(op.route.indexOf(" ") + 1)];
  for (const [name, schema] of Object.entries(op.params?.properties ?? {})) {
    const fitting = names.filter((value) => Value.Check(schema, value));
    const isAnyText = Value.Check(schema, "mail") && !IS_THOROUGH;
    const values = isAnyText ? oneOfEach(fitting) : fitting;
    paths = paths.flatMap((path) =>
      values.map((value) => path.replace(`{${name}}`, encodeURIComponent(value))),
    );
  }
  const properties = Object.keys(op.query?.properties ?? {});
  const query = new URLSearchParams({
    ...(properties.includes("timeout") && { timeout: "0" }),
    ...(properties.includes("q") && { q: MARK.slice(0, 5) }),
  });
  // The longer page contains everything of the default page.
  const long = properties.includes("limit") ? ["?limit=100"] : [""];
  const all = IS_THOROUGH ? [...new Set(["", ...long])] : long;
  return paths.flatMap((path) => [
    ...all.map((page) => path + page),
    ...(query.size > 0 ? [`${path}?${query}`] : []),
  ]);
}

/** The types of leaked list items. */
function namesOfLeak({ data }: any): string {
  if (!Array.isArray(data)) return "";
  const leaks = data.filter((one) => JSON.stringify(one).includes(MARK));
  return [...new Set(leaks.map(({ type, kind, id }) => type ?? kind ?? id))].join(" ");
}

const TOPICS = ["incident", "request", "change", "problem", "contact", "mail", "platform.events"];

test("no operation returns data of others", async () => {
  const names = await arrange();
  await world.settled();
  // Starts with events that contain hidden data: a chain without any can't show a leak.
  const events = await world.sql(
    `select correlation_id as id from events group by correlation_id
      order by bool_or(data::text like '%${MARK}%') desc, correlation_id limit ${tries(12, 500)}`,
  );
  const log = await owner(`GET /api/v1/audit?limit=${tries(12, 200)}`);
  const known = [
    ...new Set([
      ...names,
      ...TOPICS,
      ...events.map(({ id }) => String(id)),
      ...log.body.data.map(({ id }: any) => String(id)),
    ]),
  ];
  await owner(`DELETE /api/v1/settings/users/${leaver.userId}`);
  const reads = sweptOperations.filter(
    ({ kind, access, route, longRunning, query }) =>
      kind === "query" &&
      access === "workspace" &&
      route.startsWith("GET ") &&
      (!longRunning || Object.hasOwn(query?.properties ?? {}, "timeout")),
  );
  const calls = reads.map((op) => [op, callsOf(op, known)] as const);
  const people = { requester, member, leaver, foreigner };
  const leaks = new Set<string>();
  const answered: Record<string, number> = {};
  for (const [who, ask] of Object.entries(people)) {
    for (const [op, paths] of calls) {
      for (const path of paths) {
        const { status, body, headers } = await ask(`GET ${path}`);
        expect(status, `${who}: ${path}`).toBeLessThan(500);
        const said = JSON.stringify([body, headers]);
        if (said.includes(MARK)) leaks.add(`${who}: ${op.id} ${namesOfLeak(body)}`);
        if (status === 200) answered[who] = (answered[who] ?? 0) + 1;
        // If the whole operation is forbidden, further calls are too.
        if (status === 403 || status === 401) break;
      }
    }
  }
  expect([...leaks]).toEqual([]);
  expect(answered["leaver"]).toBe(undefined);
  for (const who of ["requester", "member", "foreigner"]) {
    expect(answered[who]).toBeGreaterThan(20);
  }
}, 400_000);
