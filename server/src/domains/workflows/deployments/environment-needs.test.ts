import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const STAGING = { "x-environment": "staging" };

const make = async (path: string, input: object): Promise<any> => {
  const { status, body } = await owner(`POST /api/v1/${path}`, input);
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.data;
};

for (const name of ["SHARED", "OWN", "PRODUCTION_ONLY", "IN_SCRIPT", "OF_CONNECTOR"]) {
  await make("secrets", { name, value: `value of ${name}` });
}
await owner("PUT /api/v1/secrets/OWN/environments/staging", { value: "another" });
await owner("PATCH /api/v1/secrets/PRODUCTION_ONLY", { ownValuesOnly: true });
await make("variables", { name: "SHOP", value: "https://shop.example.com" });
await make("variables", { name: "MODE", value: "live", environments: { staging: "test" } });
await make("tables", {
  name: "Orders",
  slug: "orders",
  columns: [{ name: "number", type: "text" }],
});
const connector = await make("connectors", {
  name: "Billing",
  type: "http",
  config: { baseUrl: "https://billing.example.com" },
  auth: { kind: "bearer", token: "{{secrets.OF_CONNECTOR}}" },
});
const literal = await make("connectors", {
  name: "Literal",
  type: "http",
  config: { baseUrl: "https://other.example.com" },
  auth: { kind: "bearer", token: "a-token-of-production" },
});
const child = await make("workflows", {
  name: "Child",
  trigger: { type: "manual" },
  nodes: [{ id: "a", type: "set", config: { values: {} } }],
  edges: [],
});
const invoke = (id: string, connectorId: string) => ({
  id,
  type: "connector",
  config: { connectorId, action: "request", input: { method: "GET", path: "/" } },
});
const DEFINITION = {
  name: "Ship",
  trigger: { type: "manual" },
  nodes: [
    {
      id: "call",
      type: "http",
      config: {
        url: "{{ variables.SHOP }}/{{ variables.MODE }}",
        headers: {
          a: "{{secrets.SHARED}}",
          b: "{{secrets.OWN}}",
          c: "{{secrets.PRODUCTION_ONLY}}",
        },
      },
    },
    { id: "script", type: "script", config: { source: 'context.secrets.get("IN_SCRIPT");' } },
    invoke("bill", connector.id),
    invoke("other", literal.id),
    { id: "read", type: "records", config: { operation: "list", table: "orders" } },
    { id: "sub", type: "subworkflow", config: { workflowId: child.id } },
  ],
  edges: [],
};
const { id } = await make("workflows", DEFINITION);

const STAGING_WARNINGS = [
  {
    path: "/nodes/4/config/table",
    message: "refers to the table orders, which does not exist in this environment",
    stepId: "read",
    field: "/config/table",
  },
  {
    path: "/nodes/5/config/workflowId",
    message: "calls the workflow Child, which is not deployed to staging",
    stepId: "sub",
    field: "/config/workflowId",
  },
  {
    path: "/nodes/0/config/headers/c",
    message: "requires the secret PRODUCTION_ONLY, which has no value in staging",
    stepId: "call",
    field: "/config/headers/c",
  },
];
const PRODUCTION_VALUES = [
  { kind: "secret", name: "IN_SCRIPT" },
  { kind: "secret", name: "OF_CONNECTOR", connector: "Billing" },
  { kind: "secret", name: "SHARED" },
  { kind: "variable", name: "SHOP" },
  { kind: "connector", name: "Literal" },
];

test("a deployment preview lists missing values, and production values that would be used", async () => {
  const path = `/api/v1/workflows/${id}/publish`;
  const { status, body, events } = await owner(`GET ${path}`, undefined, STAGING);
  expect([status, events, body.data.possible]).toEqual([200, [], true]);
  expect(body.data.warnings).toEqual(STAGING_WARNINGS);
  expect(body.data.productionValues).toEqual(PRODUCTION_VALUES);

  const production = (await owner(`GET ${path}`)).body.data;
  expect(production.warnings.map(({ message }: any) => message)).toEqual([
    "calls the workflow Child, which is not deployed to production",
  ]);
  expect(production.productionValues).toEqual([]);
});

test("an unsaved draft gets the same warnings", async () => {
  const { body } = await owner("POST /api/v1/workflows/validate", DEFINITION, STAGING);
  expect(body.data).toEqual({
    valid: true,
    errors: [],
    warnings: STAGING_WARNINGS,
    productionValues: PRODUCTION_VALUES,
  });
});

test("an error names the table and the environment without it", async () => {
  const { status, body } = await owner("GET /api/v1/tables/orders/records", undefined, STAGING);
  expect([status, body.detail]).toEqual([404, "The table orders does not exist in staging."]);
});

test("with separate values per environment, new secrets and variables stay in production", async () => {
  const { body: before } = await owner("GET /api/v1/workspaces/me");
  expect(before.data.ownEnvironmentValues).toBe(false);
  const changed = await owner("PATCH /api/v1/workspaces/default", { ownEnvironmentValues: true });
  expect([changed.status, changed.events]).toEqual([200, ["workspace.updated"]]);
  expect((await make("secrets", { name: "LATER", value: "v" })).ownValuesOnly).toBe(true);
  expect((await make("variables", { name: "LATER", value: "v" })).ownValuesOnly).toBe(true);
  const shared = { name: "TO_ALL", value: "v", ownValuesOnly: false };
  expect((await make("secrets", shared)).ownValuesOnly).toBe(false);
  expect((await make("variables", shared)).ownValuesOnly).toBe(false);
  // Existing values do not change.
  expect((await owner("GET /api/v1/secrets/SHARED")).body.data.ownValuesOnly).toBe(false);
});
