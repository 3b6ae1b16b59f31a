import { beforeAll, expect, test } from "vitest";
import { type Ask, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

const search = async (q: string, more = "", ask: Ask = owner) => {
  const answer = await ask(`GET /api/v1/search?q=${encodeURIComponent(q)}${more}`);
  expect([answer.status, answer.events]).toEqual([200, []]);
  return answer.body.data;
};
const titles = async (q: string, more = "", ask: Ask = owner) =>
  (await search(q, more, ask)).hits.map(({ kind, title }: any) => `${kind} ${title}`);

const definition = { trigger: { type: "manual" }, nodes: [], edges: [] };
let incident: any;
let runId = "";

beforeAll(async () => {
  const made = async (path: string, body: object) => {
    const answer = await owner(`POST /api/v1${path}`, body);
    expect([path, answer.status]).toEqual([path, 201]);
    return answer.body.data;
  };
  incident = await made("/itsm/incidents", { title: "Printer on floor 3 is offline" });
  await made("/itsm/incidents", { title: "A new print-server's queue" });
  await made("/itsm/problems", { title: "Printers lose their address" });
  const flow = await made("/workflows", { name: "Printer report", ...definition, tags: ["night"] });
  await owner(`POST /api/v1/workflows/${flow.id}/publish`);
  runId = (await owner(`POST /api/v1/workflows/${flow.id}/trigger`, {})).body.data.runId;
  await made("/tables", { name: "Printer stock", slug: "printer_stock", columns: [] });
  await made("/connectors", {
    name: "Printer maker",
    type: "http",
    config: { baseUrl: "https://printers.example.com" },
  });
  await made("/itsm/teams", { name: "Printer people" });
  await made("/knowledge", { title: "Printer jams", body: "Open it." });
});

test("searches all kinds by text, uses the last term as a prefix, and sorts by relevance", async () => {
  // In the order of the domains, because all match equally well.
  expect(await titles("printer")).toEqual([
    "workflow Printer report",
    "connector Printer maker",
    "table Printer stock",
    "team Printer people",
    "incident Printer on floor 3 is offline",
    "problem Printers lose their address",
    "article Printer jams",
  ]);
  expect(await titles("printer flo")).toEqual(["incident Printer on floor 3 is offline"]);
  expect(await titles("FLOOR offline")).toEqual(["incident Printer on floor 3 is offline"]);
  expect(await titles("night")).toEqual(["workflow Printer report"]);
  expect(await titles("print", "&kinds=incident,problem")).toEqual([
    "problem Printers lose their address",
    "incident Printer on floor 3 is offline",
    "incident A new print-server's queue",
  ]);
  expect((await search("printer", "&limit=2")).hits).toHaveLength(2);
});

test("finds ids and ticket numbers", async () => {
  const { number, id } = incident;
  for (const q of [number, number.toLowerCase(), id, `inc${Number(number.slice(3))}`]) {
    expect((await search(q)).hits[0]).toEqual({
      kind: "incident",
      id,
      title: "Printer on floor 3 is offline",
      detail: "new",
      ref: number,
    });
  }
  expect((await search(runId)).hits).toMatchObject([{ kind: "run", id: runId }]);
  expect(await titles("printer_stock")).toEqual(["table Printer stock"]);
});

test("finds only what the user can read, in the same environment and workspace", async () => {
  const member = await world.member(["member"]);
  const found = await search("printer", "", member);
  expect(found.kinds).not.toContain("workflow");
  expect(found.hits.map(({ kind }: any) => kind)).not.toContain("workflow");
  expect(found.hits.map(({ title }: any) => title)).not.toContain("Printer jams");
  const staged = await owner("GET /api/v1/search?q=printer&kinds=incident", undefined, {
    "x-environment": "staging",
  });
  expect(staged.body.data.hits).toEqual([]);
  const stranger = await world.member(["owner"], await world.workspace("elsewhere"));
  expect(await titles("printer", "", stranger)).toEqual([]);
  expect((await search(incident.id, "", stranger)).hits).toEqual([]);
  const { body } = await owner("POST /api/v1/auth/tokens", {
    name: "Robot",
    expiresIn: "30d",
    scopes: ["search:use", "incidents:read"],
  });
  const robot = world.asToken(body.data.token, "default");
  expect((await search("printer", "", robot)).kinds).toEqual(["incident"]);
  expect((await world.stranger("GET /api/v1/search?q=x")).status).toBe(401);
});

test("treats every input as text, not as a query", async () => {
  for (const q of [
    "%",
    "'",
    "\\",
    "'':*",
    "a & b | !c",
    "<->",
    "()",
    "printer' or 1=1",
    "🖨",
    "x".repeat(200),
  ]) {
    expect((await search(q)).hits).toEqual([]);
  }
  for (const query of ["", "?q=", `?q=${"x".repeat(201)}`, "?q=x&limit=51", "?q=x&limit=0"]) {
    expect((await owner(`GET /api/v1/search${query}`)).status).toBe(422);
  }
  expect((await search("printer", "&kinds=nothing,,")).hits).toEqual([]);
});

test("searches records by table text within the access rules", async () => {
  const columns = [
    { name: "note", type: "text" },
    { name: "name", type: "text", options: { search: true } },
  ];
  const rules = [
    { roles: ["owner"], actions: ["read", "create"] },
    { roles: ["viewer"], actions: ["read"], fields: ["note"] },
    { roles: ["agent"], actions: ["read"], where: { note: "open" } },
  ];
  await owner("POST /api/v1/tables", { name: "Toner", slug: "toner", columns });
  await owner("POST /api/v1/tables", { name: "Ruled", slug: "ruled", columns, rules });
  await owner("POST /api/v1/tables", {
    name: "Plain",
    slug: "plain",
    columns: [{ name: "name", type: "text" }],
  });
  const rows = [
    { note: "open", name: "Cartridge in cyan" },
    { note: "closed", name: "Cartridge in magenta" },
  ];
  for (const row of rows) {
    await owner("POST /api/v1/tables/toner/records", row);
    await owner("POST /api/v1/tables/ruled/records", row);
  }
  const plain = await owner("POST /api/v1/tables/plain/records", { name: "Old cartridge 100%" });
  const seen = async (q: string, by: Ask = owner) =>
    (await search(q, "&kinds=record", by)).hits
      .map(({ title, table, detail }: any) => `${table} ${detail} ${title}`)
      .toSorted();
  expect(await seen("cartridge in cy")).toEqual(["ruled Ruled open", "toner Toner open"]);
  expect(await seen("cartridge 100%")).toEqual(["plain Plain Old cartridge 100%"]);
  expect(await seen(plain.body.data.id)).toEqual(["plain Plain Old cartridge 100%"]);
  // Hidden records and fields are not found, and titles do not show them.
  const agent = await world.member(["agent"]);
  expect(await seen("magenta", agent)).toEqual(["toner Toner closed"]);
  expect(await seen("cyan", agent)).toEqual(["ruled Ruled open", "toner Toner open"]);
  const viewer = await world.member(["viewer"]);
  expect(await seen("cyan", viewer)).toEqual(["toner Toner open"]);
  expect(await seen("open", viewer)).toEqual(["ruled Ruled open"]);
  const builder = await world.member(["builder"]);
  expect(await seen("cyan", builder)).toEqual(["toner Toner open"]);
  const requester = await world.member(["requester"]);
  expect((await search("cyan", "", requester)).hits).toEqual([]);
});
