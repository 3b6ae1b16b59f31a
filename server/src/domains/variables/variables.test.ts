import { expect, test } from "vitest";
import {
  createToken,
  deployWorkflow,
  type RunView,
  runWorkflow,
  stepsOf,
} from "#domains/runs/testing/workflows.ts";
import { type Ask, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);
const VARIABLES = "/api/v1/variables";
const create = async (name: string, value: unknown, more: object = {}) => {
  const { body, status } = await owner(`POST ${VARIABLES}`, { name, value, ...more });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data.id as string;
};
const inEnvironment =
  (environment: string): Ask =>
  (route, body, headers = {}) =>
    owner(route, body, { "x-environment": environment, ...headers });
const outputOf = (run: RunView, id = "read") => stepsOf(run)[id]?.output;

test("a variable has one value, and optionally others per environment", async () => {
  const made = await owner(`POST ${VARIABLES}`, { name: "SHOP", value: { url: "p" } });
  expect(made).toMatchObject({ status: 201, events: ["variable.created"] });
  const { id, createdAt } = made.body.data;
  const path = `${VARIABLES}/${id}`;
  expect(made.body.data).toEqual({
    id,
    name: "SHOP",
    value: { url: "p" },
    description: "",
    environments: {},
    ownValuesOnly: false,
    createdAt,
    updatedAt: createdAt,
  });
  const set = await owner(`PUT ${path}/environments/staging`, { value: null });
  expect([set.status, set.events]).toEqual([200, ["variable.updated"]]);
  expect(set.body.data.environments).toEqual({ staging: null });
  const same = await owner(`PUT ${path}/environments/staging`, { value: null });
  expect([same.status, same.events]).toEqual([200, []]);
  await owner(`PUT ${path}/environments/development`, { value: [1] });
  const removed = await owner(`DELETE ${path}/environments/staging`);
  expect([removed.status, removed.events]).toEqual([200, ["variable.updated"]]);
  expect(removed.body.data.environments).toEqual({ development: [1] });
  const again = await owner(`DELETE ${path}/environments/staging`);
  expect([again.status, again.events]).toEqual([404, []]);
  expect((await owner(`PATCH ${path}`, { value: 7, ownValuesOnly: true })).events).toEqual([
    "variable.updated",
  ]);
  const large = "x".repeat(16_383);
  const refusals: [object, number, string?][] = [
    [{ name: "SHOP", value: 1 }, 409],
    [{ name: "1ST", value: 1 }, 422, "/name"],
    [{ name: "NONE" }, 422, "/value"],
    [{ name: "LARGE", value: large }, 422, "/value"],
    [{ name: "LARGE", value: 1, environments: { staging: large } }, 422, "/environments/staging"],
    [{ name: "ELSEWHERE", value: 1, environments: { production: 1 } }, 422],
  ];
  for (const [body, status, at] of refusals) {
    const refused = await owner(`POST ${VARIABLES}`, body);
    expect([refused.status, refused.events]).toEqual([status, []]);
    if (at !== undefined) expect(refused.body.errors[0].path).toBe(at);
  }
  const next = await world.member(["owner"], await world.workspace("next-door"));
  expect((await next(`GET ${path}`)).status).toBe(404);
  expect((await next(`GET ${VARIABLES}`)).body.data).toEqual([]);
  const viewer = await world.member(["viewer"]);
  expect((await viewer(`GET ${VARIABLES}`)).status).toBe(403);
  expect(await owner(`DELETE ${path}`)).toMatchObject({
    status: 204,
    events: ["variable.deleted"],
  });
});

test("steps and scripts read the current value of their environment when they run", async () => {
  const id = await create("RATE", 1, { environments: { staging: 2 } });
  const nodes = [
    { id: "read", type: "transform", config: { expression: "variables.RATE * 10" } },
    { id: "text", type: "set", config: { values: { said: "rate {{ variables.RATE }}" } } },
    {
      id: "code",
      type: "script",
      config: { source: 'return { rate: await context.variables.get("RATE") };' },
    },
  ];
  const workflow = await deployWorkflow(owner, nodes);
  for (const environment of ["staging", "development"]) {
    await inEnvironment(environment)(`POST /api/v1/workflows/${workflow}/publish`, {});
  }
  const seen = async (environment: string) => {
    const run = await runWorkflow(inEnvironment(environment), workflow);
    expect(run.error).toBeNull();
    return ["read", "text", "code"].map((step) => outputOf(run, step));
  };
  const sees = (rate: number) => [rate * 10, { said: `rate ${rate}` }, { rate }];
  expect(await seen("production")).toEqual(sees(1));
  expect(await seen("staging")).toEqual(sees(2));
  expect(await seen("development")).toEqual(sees(1));
  await owner(`PATCH ${VARIABLES}/${id}`, { value: 3 });
  expect(await seen("production")).toEqual(sees(3));

  await owner(`PATCH ${VARIABLES}/${id}`, { ownValuesOnly: true });
  const refused = await runWorkflow(inEnvironment("development"), workflow);
  expect(refused.error).toMatchObject({
    code: "unknown_variable",
    message: "RATE has no value for development, and the production value must not be used there.",
  });
  const usage = await owner(`GET ${VARIABLES}/${id}/usage`);
  expect(usage.body.data).toEqual({
    name: "RATE",
    usedIn: [{ kind: "workflow", id: workflow, name: expect.any(String) }],
  });
  await owner(`DELETE ${VARIABLES}/${id}`);
  const gone = await runWorkflow(owner, workflow);
  expect(gone.error).toMatchObject({
    code: "unknown_variable",
    message: "The variable RATE does not exist.",
  });
});

test("an unknown variable is a warning of a workflow, not an error; a loop item can't have its name", async () => {
  await create("KNOWN", "yes");
  const check = async (expression: string, as = "item") => {
    const body = { nodes: [{ id: "each", type: "transform", config: { expression } }], edges: [] };
    const loop = {
      id: "loop",
      type: "loop",
      config: { items: [1], as, body: { nodes: body.nodes, edges: [] } },
    };
    const nodes = as === "item" ? body.nodes : [loop];
    const definition = { name: "Checked", trigger: { type: "manual" }, nodes, edges: [] };
    return (await owner("POST /api/v1/workflows/validate", definition)).body.data;
  };
  expect(await check("variables.KNOWN")).toMatchObject({ valid: true, warnings: [] });
  expect(await check("variables.UNKNOWN & variables.KNOWN")).toMatchObject({
    valid: true,
    warnings: [
      {
        path: "/nodes/0/config/expression",
        message: "uses the variable UNKNOWN, which does not exist",
      },
    ],
  });
  expect(await check("$keys(variables)")).toMatchObject({ valid: true, warnings: [] });
  expect(await check("variables", "variables")).toMatchObject({ valid: false });
});

test("a preview shows the environment's values and completes names, for users with permission", async () => {
  await create("GREETING", "good day", { environments: { staging: "hi" } });
  const body = { texts: [{ template: "{{ variables.GREETING }}" }] };
  const preview = async (ask: Ask) =>
    (await ask("POST /api/v1/expressions/preview", body)).body.data.previews[0].value;
  expect([await preview(owner), await preview(inEnvironment("staging"))]).toEqual([
    "good day",
    "hi",
  ]);
  const token = await createToken(world, owner, ["transformer:use"]);
  expect(await preview(token)).not.toBe("good day");
});

test("a user without permission can't read variables through their workflows", async () => {
  await create("CONFINED", "not for all");
  const token = await createToken(world, owner, [
    "workflows:read",
    "workflows:write",
    "deployments:create",
  ]);
  const nodes = [{ id: "read", type: "set", config: { values: { x: "{{variables.CONFINED}}" } } }];
  const run = await runWorkflow(owner, await deployWorkflow(token, nodes));
  expect(run.error).toMatchObject({ code: "forbidden" });
  expect(JSON.stringify(run)).not.toContain("not for all");
});

test("an undo restores a value and a deleted variable", async () => {
  const id = await create("UNDONE", "first", { environments: { staging: "s" } });
  const changed = await owner(`PUT ${VARIABLES}/${id}/environments/staging`, { value: "t" });
  expect(changed.body.data.environments).toEqual({ staging: "t" });
  await owner(`DELETE ${VARIABLES}/${id}`);
  const [deleted, updated] = (await owner(`GET /api/v1/audit?resourceId=${id}&limit=2`)).body.data;
  for (const { id: eventId } of [deleted, updated]) {
    const undone = await owner(`POST /api/v1/undo`, { eventId });
    expect(undone.status, JSON.stringify(undone.body)).toBeLessThan(300);
  }
  expect((await owner(`GET ${VARIABLES}/${id}`)).body.data).toMatchObject({
    value: "first",
    environments: { staging: "s" },
  });
});
