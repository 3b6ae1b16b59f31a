import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const PALETTE = "GET /api/v1/workflows/palette";

const artifact = (name: string, artifactType: string) =>
  owner("POST /api/v1/sdk/artifacts", {
    name,
    moduleKey: "shop",
    artifactType,
    detail: { scriptSource: "return input" },
  });
const { body: node } = await artifact("price", "workflow_node");
const { body: transformer } = await artifact("tidy", "data_transformer");
await artifact("nightly", "webhook_handler");
const { body: connector } = await owner("POST /api/v1/connectors", {
  name: "Billing",
  type: "http",
  config: { baseUrl: "https://billing.example.com" },
});
const definition = { trigger: { type: "manual" }, nodes: [], edges: [] };
const { body: workflow } = await owner("POST /api/v1/workflows", { name: "Ship", ...definition });

test("one response contains node types, artifacts, connector actions and workflows, ready to insert", async () => {
  const { status, body, events } = await owner(PALETTE);
  expect([status, events]).toEqual([200, []]);
  const { entries, groups, truncated } = body.data;
  expect(truncated).toBe(false);
  expect(new Set(entries.map(({ key }: any) => key)).size).toBe(entries.length);
  for (const { group } of entries) expect(groups).toContain(group);
  expect(entries).toContainEqual(
    expect.objectContaining({
      key: "node:condition",
      kind: "node",
      type: "condition",
      title: "If",
      config: { expression: "true" },
    }),
  );
  const found = Object.fromEntries(
    entries
      .filter(({ kind }: any) => kind !== "node")
      .map(({ title, type, config, kind }: any) => [title, { type, config, kind }]),
  );
  const { id: connectorId } = connector.data;
  expect(found).toEqual({
    price: { kind: "artifact", type: "shop.price", config: {} },
    tidy: { kind: "artifact", type: "transform", config: { artifactId: transformer.data.id } },
    "Billing: request": {
      kind: "connector",
      type: "connector",
      config: { connectorId, action: "request", input: {} },
    },
    Ship: { kind: "workflow", type: "subworkflow", config: { workflowId: workflow.data.id } },
  });
  expect(node.data.id).toMatch(/^art_/);
});

test("a search matches titles, objects and summaries; SQL wildcards are escaped", async () => {
  const titles = async (q: string) =>
    (await owner(`${PALETTE}?q=${encodeURIComponent(q)}`)).body.data.entries.map(
      ({ title }: any) => title,
    );
  expect(await titles("BILL")).toEqual(["Billing: request"]);
  expect(await titles("http req")).toContain("HTTP request");
  expect(await titles("%")).toEqual([]);
  expect((await owner(`${PALETTE}?q=${"x".repeat(101)}`)).status).toBe(422);
});

test("entries without read permission are omitted", async () => {
  const { body: role } = await owner("POST /api/v1/settings/roles", {
    name: "Flows alone",
    permissions: ["workflows:read"],
  });
  const reader = await world.member([role.data.id]);
  const { body } = await reader(PALETTE);
  const kinds = new Set(body.data.entries.map(({ kind }: any) => kind));
  expect(kinds).toEqual(new Set(["node", "workflow"]));
  expect((await (await world.member(["member"]))(PALETTE)).status).toBe(403);
});

test("the next times of an unsaved schedule are shown, also across a clock change", async () => {
  const DUE = "GET /api/v1/workflows/due-times";
  const ask = (query: string) => owner(`${DUE}?${query}`);
  const { status, body, events } = await ask(`cron=${encodeURIComponent("30 2 29 2 *")}&count=2`);
  expect([status, events]).toEqual([200, []]);
  const [first = "", second = ""] = body.data.times as string[];
  expect(first).toMatch(/-02-29T02:30:00.000Z$/);
  expect(Number(second.slice(0, 4)) - Number(first.slice(0, 4))).toBeGreaterThanOrEqual(4);
  expect((await ask("cron=0+9+*+*+*")).body.data.times).toHaveLength(5);
  const wrong = await ask("cron=never&timezone=Nowhere/There");
  expect(wrong.status).toBe(422);
  expect(wrong.body.errors.map(({ path }: { path: string }) => path)).toEqual([
    "/timezone",
    "/cron",
  ]);
});
