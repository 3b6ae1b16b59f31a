import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { followRef } from "../../../../../../client/src/references.ts";

const world = await useWorld();
const [owner, agent] = await Promise.all([world.member(["owner"]), world.member(["agent"])]);

const ITSM = "/api/v1/itsm";
const raise = async (plural: string, body: object = {}): Promise<any> =>
  (await owner(`POST ${ITSM}/${plural}`, { title: "No mail", ...body })).body.data;

/** Collects the operation input schemas by path. */
function inputsOf(document: any): (readonly [string, any])[] {
  const found: (readonly [string, any])[] = [];
  const walk = (path: string, part: any): void => {
    if (part === null || typeof part !== "object") return;
    const schema = followRef<any>(document, part);
    found.push([path, schema]);
    for (const [name, value] of Object.entries(schema)) walk(`${path}/${name}`, value);
  };
  for (const operations of Object.values<any>(document.paths)) {
    for (const { operationId, parameters = [], requestBody } of Object.values<any>(operations)) {
      for (const parameter of parameters) {
        const { name, schema } = followRef<any>(document, parameter);
        walk(`${operationId} ${name}`, schema);
      }
      const { content } = followRef<any>(document, requestBody ?? {});
      walk(`${operationId} body`, content?.["application/json"]?.schema);
    }
  }
  return found;
}

test("every input that accepts a ticket id accepts its number", async () => {
  const file = new URL("../../../../../../contract/openapi.json", import.meta.url);
  const patterns = inputsOf(JSON.parse(await readFile(file, "utf8"))).filter(
    ([, { pattern }]) => typeof pattern === "string",
  );
  const kinds = [
    ["inc", "INC"],
    ["chg", "CHG"],
    ["prb", "PRB"],
    ["req", "REQ"],
  ] as const;
  const taken = kinds.flatMap(([prefix, letters]) =>
    patterns
      .filter(([, { pattern }]) => {
        const takes = (type: string) =>
          new RegExp(pattern).test(`${type}_01jzt3n5k8q2x4v6w8y0z2b4d6`);
        // A field that accepts any id is not a ticket reference.
        return takes(prefix) && !takes("cit");
      })
      .map(([path, { pattern }]) => ({
        path,
        takes: new RegExp(pattern).test(`${letters}0000012`),
      })),
  );
  expect(taken.length).toBeGreaterThan(100);
  expect(taken.filter(({ takes }) => !takes)).toEqual([]);
});

test("tickets of all kinds are linked by number, from either side", async () => {
  const [incident, problem, change] = [
    await raise("incidents"),
    await raise("problems"),
    await raise("changes"),
  ];
  const linked = await agent(`POST ${ITSM}/problems/${problem.number}/links`, {
    ticketId: change.number,
    type: "fixed_by",
  });
  expect(linked).toMatchObject({
    status: 201,
    events: ["problem.linked"],
    body: { data: { direction: "out", ticket: { id: change.id } } },
  });
  expect(
    await agent(`POST ${ITSM}/incidents/${incident.id}/links`, { ticketId: problem.number }),
  ).toMatchObject({ status: 201, events: ["incident.linked"] });
  expect(
    await agent(`POST ${ITSM}/incidents/${incident.id}/links`, { ticketId: incident.number }),
  ).toMatchObject({ status: 422, events: [], body: { errors: [{ path: "/ticketId" }] } });
  expect(
    await agent(`POST ${ITSM}/incidents/${incident.id}/links`, { ticketId: "PRB9999999" }),
  ).toMatchObject({
    status: 422,
    events: [],
    body: { errors: [{ path: "/ticketId", message: "is not a ticket that you can see" }] },
  });
});

test("incidents are linked to a problem by number, and unlinked", async () => {
  const [one, two, three] = [
    await raise("incidents"),
    await raise("incidents"),
    await raise("incidents"),
  ];
  const problem = await raise("problems", { incidentIds: [one.number] });
  const path = `${ITSM}/problems/${problem.number}/incidents`;
  expect(await agent(`POST ${path}`, { incidentIds: [two.number, three.id] })).toMatchObject({
    status: 200,
    events: ["problem.incident_linked", "problem.incident_linked"],
  });
  expect(await agent(`DELETE ${path}/${two.number}`)).toMatchObject({
    status: 204,
    events: ["problem.incident_unlinked"],
  });
  const { body } = await agent(`GET ${path}`);
  expect(body.data.map(({ id }: any) => id).toSorted()).toEqual([one.id, three.id].toSorted());
});

test("a bulk change accepts numbers, and rejects unknown numbers", async () => {
  const [one, two] = [await raise("incidents"), await raise("problems")];
  const acts = [{ act: "tag", add: ["storm"] }];
  expect(
    await agent(`POST ${ITSM}/tickets/bulk`, { ids: [one.number, two.id], acts }),
  ).toMatchObject({
    status: 200,
    events: expect.arrayContaining(["incident.updated", "problem.updated"]),
  });
  expect(await agent(`POST ${ITSM}/tickets/bulk`, { ids: ["INC9999999"], acts })).toMatchObject({
    status: 409,
    events: [],
    body: { code: "acts_refused" },
  });
});

test("finds pages and outages by ticket number", async () => {
  const { number } = await raise("incidents");
  expect(await agent(`GET ${ITSM}/pages?ticketId=${number}`)).toMatchObject({
    status: 200,
    body: { data: [] },
  });
  await owner(`POST ${ITSM}/incidents/${number}/major`);
  expect(await agent(`POST /api/v1/outages/${number}/affected`)).toMatchObject({
    status: 200,
    body: { data: { isAffected: true } },
  });
});

test("finds tickets by full number, digits, or caller name", async () => {
  const { body } = await agent(`POST ${ITSM}/contacts`, {
    name: "Zoltan Quist",
    phone: "+41 44 1",
  });
  const ticket = await raise("incidents", { callerId: body.data.id });
  const listed = async (q: string) =>
    (await agent(`GET ${ITSM}/tickets?q=${encodeURIComponent(q)}`)).body.data.map(
      ({ id }: any) => id,
    );
  expect(await listed(ticket.number)).toEqual([ticket.id]);
  expect(await listed(String(Number(ticket.number.slice(3))))).toContain(ticket.id);
  expect(await listed("zoltan qui")).toEqual([ticket.id]);
  const { body: hits } = await agent("GET /api/v1/search?q=quist&kinds=incident,contact");
  expect(hits.data.hits.map(({ kind, id }: any) => [kind, id])).toEqual([
    ["contact", body.data.id],
    ["incident", ticket.id],
  ]);
});
