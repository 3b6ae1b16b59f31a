/**
 * Code written by one member and run by another has only the permissions that both have, and reveals no hidden rows.
 */
import { describe, expect, test } from "vitest";
import {
  ARTIFACTS,
  createArtifact,
  createSalaries,
  memberWith,
} from "#domains/identity/accounts/testing/rights.ts";
import { browser, deployedApp } from "#domains/apps/testing/apps.ts";
import { findRuns } from "#domains/runs/testing/triggers.ts";
import {
  createToken,
  deployWorkflow,
  runWorkflow,
  stepsOf,
  trigger,
  waitForRun,
} from "#domains/runs/testing/workflows.ts";
import { useUpstream } from "#domains/connectors/testing/upstream.ts";
import { until, useWorld } from "#kernel/testing/world.ts";

const receiver = await useUpstream();
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);
const salaries = await createSalaries(world, owner);

const READ_ROWS = `return (await context.tables.list("${salaries.slug}")).map((row) => row.who + "=" + row.amount);`;

test("a trace reveals no rows hidden by access rules", async () => {
  const viewer = await world.member(["viewer"]);
  const builder = await world.member(["builder"]);
  const rows = await deployWorkflow(owner, [
    { id: "read", type: "script", config: { source: READ_ROWS } },
  ]);
  const run = await runWorkflow(owner, rows);
  expect(stepsOf(run)["read"].output).toContain("CEO=999999");
  const heard = await deployWorkflow(
    owner,
    [{ id: "keep", type: "set", config: { values: { e: "{{ trigger.event }}" } } }],
    {
      trigger: { type: "event_bus", topic: "record", eventType: "record.created" },
    },
  );
  await owner(`POST /api/v1/tables/${salaries.slug}/records`, { who: "COO", amount: 888888801 });
  const [byEvent] = await until(async () => {
    const found = await findRuns(world, heard);
    return found.length > 0 && found;
  });
  await waitForRun(owner, byEvent.id);
  const script = await createArtifact(owner, "workflow_node", READ_ROWS);
  await owner(`POST ${ARTIFACTS}/${script.id}/execute`);
  const [{ id: executionId }] = (await owner(`GET ${ARTIFACTS}/${script.id}/executions`)).body.data;
  const paths = [
    `/api/v1/runs/${run.id}`,
    `/api/v1/runs/${byEvent.id}`,
    `/api/v1/runs/${run.id}/stream`,
    `/api/flowsdk/artifacts/${script.id}/executions/${executionId}`,
  ];
  // An owner's token has fewer rights than the owner in person.
  const token = await createToken(world, owner, ["workflows:read", "artifacts:read"]);
  for (const path of paths) {
    for (const [ask, sees] of [
      [viewer, false],
      [token, false],
      [builder, true],
      [owner, true],
    ] as const) {
      const { body, status } = await ask(`GET ${path}`);
      expect(status).toBe(200);
      expect(/999999|888888801/.test(JSON.stringify(body))).toBe(sees);
    }
  }
  const { body } = await viewer(`GET ${paths[0]}`);
  expect(body.data).toMatchObject({ redacted: true, trigger: { type: "manual" }, output: null });
  expect(stepsOf(body.data)["read"]).toMatchObject({ status: "completed", logs: [] });
  // The user who starts a run receives its result.
  const agent = await memberWith(world, owner, ["workflows:read", "workflows:trigger"]);
  const started = (await trigger(agent, rows, "mine")).body.data.runId;
  await waitForRun(owner, started);
  const own = (await agent(`GET /api/v1/runs/${started}`)).body.data;
  expect(own).toMatchObject({
    redacted: true,
    trigger: { input: "mine" },
    output: expect.anything(),
  });
});

describe("code of a user without access to records", () => {
  const authorRights = [
    "apps:read",
    "apps:write",
    "apps:deploy",
    "artifacts:read",
    "artifacts:write",
    "traces:read",
  ];
  const leaks = async (value: unknown) => JSON.stringify(value).includes("999999");

  test("cannot read them in an owner's workflow, connector or execution", async () => {
    const author = await memberWith(world, owner, authorRights);
    const script = await createArtifact(author, "workflow_node", "return { harmless: true };");
    const uses = await deployWorkflow(owner, [
      { id: "use", type: "artifact", config: { artifactId: script.id } },
    ]);
    expect(await runWorkflow(owner, uses)).toMatchObject({ status: "completed" });
    await author(`PATCH ${ARTIFACTS}/${script.id}`, {
      detail: { scriptSource: `return { stolen: await (async () => { ${READ_ROWS} })() };` },
    });
    const run = await runWorkflow(owner, uses);
    expect(run).toMatchObject({ status: "failed" });
    expect(stepsOf(run)["use"].error.message).toContain("records:read");
    const byHand = await owner(`POST ${ARTIFACTS}/${script.id}/execute`);
    expect(byHand.body).toMatchObject({ success: false });
    const { id } = (
      await owner("POST /api/v1/connectors", {
        name: "Any",
        type: "http",
        config: { baseUrl: receiver.url },
      })
    ).body.data;
    const action = await createArtifact(author, "connector_action", READ_ROWS, { connector: id });
    const invoked = await owner(`POST /api/v1/connectors/${id}/invoke`, {
      action: action.name,
      input: {},
    });
    expect(invoked.status).toBe(502);
    expect(await leaks([run, byHand.body, invoked.body])).toBe(false);
  });

  test("gains no access when another user edits its description, only when they save a version", async () => {
    const author = await memberWith(world, owner, authorRights);
    const { id, name } = await createArtifact(author, "webhook_handler", READ_ROWS, {
      openAddress: true,
    });
    const path = `/hooks/default/default/${encodeURIComponent(name)}`;
    expect((await world.stranger(`POST ${path}`, {})).status).toBe(500);
    const described = await owner(`PATCH ${ARTIFACTS}/${id}`, {
      description: "Checked",
      status: "active",
    });
    expect(described.body.data.savedBy).toBe(author.userId);
    expect((await world.stranger(`POST ${path}`, {})).status).toBe(500);
    const restored = await owner(`POST ${ARTIFACTS}/${id}/restore/1`);
    expect(restored.body.data.savedBy).toBe(owner.userId);
    expect((await world.stranger(`POST ${path}`, {})).body).toContain("CEO=999999");
  });

  test("can't read records in an app opened by a different user, and opening does not run code", async () => {
    const author = await memberWith(world, owner, authorRights);
    const script = await createArtifact(author, "workflow_node", READ_ROWS);
    const page = [
      {
        path: "/",
        title: "Menu",
        components: [{ type: "text", text: "{{ $string(data.rows) }}" }],
      },
    ];
    const sources = [{ name: "rows", kind: "artifact", config: { artifactId: script.id } }];
    const app = await deployedApp(author, { pages: page, dataSources: sources });
    const embed = await owner(`POST /api/v1/apps/${app.id}/embed-token`, { expiresIn: "1h" });
    expect(embed.status).toBe(201);
    const visit = browser(world, owner.token);
    const opened = await visit(`GET /apps/default/${app.slug}`);
    expect(opened).toMatchObject({ status: 200, events: [] });
    expect(opened.body).toContain("Loading");
    expect(
      await world.sql("select from artifact_executions where artifact_id = $1", [script.id]),
    ).toEqual([]);
    const state = await visit(`POST /apps/default/${app.slug}/_state`, { page: "/" });
    const framed = await world.stranger(
      `GET ${new URL(embed.body.data.url).pathname}${new URL(embed.body.data.url).search}`,
    );
    expect(await leaks([opened.body, state.body, framed.body])).toBe(false);
    expect(JSON.stringify(state.body)).toContain("artifacts:execute");
  });
});

test("a module has only its author's permissions, regardless of who publishes the importing script", async () => {
  const helper = await memberWith(world, owner, ["artifacts:read", "artifacts:write"]);
  const saveModule = (scriptSource: string) => ({
    name: "money",
    artifactType: "script_module",
    status: "active",
    detail: { scriptSource },
  });
  const double = "export const double = (value) => value * 2;";
  const made = await owner(`POST ${ARTIFACTS}`, saveModule(double));
  expect(made.status).toBe(201);
  const source = `import { double } from "module:money";
    const rows = await context.tables.list("${salaries.slug}");
    return rows.map((row) => double(row.amount));`;
  const nodes = [{ id: "code", type: "script", config: { source } }];
  const own = await runWorkflow(owner, await deployWorkflow(owner, nodes));
  expect([own.status, stepsOf(own)["code"].output.length > 0]).toEqual(["completed", true]);

  const edited = await helper(`PATCH ${ARTIFACTS}/${made.body.data.id}`, {
    detail: { scriptSource: `${double} export const more = 1;` },
  });
  expect(edited.status).toBe(200);
  const run = await runWorkflow(owner, await deployWorkflow(owner, nodes));
  expect([run.status, JSON.stringify(run).includes("999999")]).toEqual(["failed", false]);
});

test("a module cannot change anything that the script uses", async () => {
  const attack = `
    const steal = (value) => { globalThis.stolen = value; };
    try { Array.prototype.toJSON = function () { steal(this); return ["mine"]; }; } catch {}
    try { Object.prototype.toJSON = function () { steal(this); return { url: "mine" }; }; } catch {}
    try { Array.prototype.map = function () { steal(this); return []; }; } catch {}
    try { Promise.prototype.then = function () { steal(this); }; } catch {}
    try { JSON.stringify = () => "mine"; } catch {}
    try { globalThis.JSON = { stringify: () => "mine" }; } catch {}
    try { globalThis.console.log = steal; } catch {}
    export const double = (value) => value * 2;`;
  const made = await owner(`POST ${ARTIFACTS}`, {
    name: "attack",
    artifactType: "script_module",
    status: "active",
    detail: { scriptSource: attack },
  });
  expect(made.body.errors ?? made.status).toBe(201);
  const source = `import { double } from "module:attack";
    class Own extends Error { constructor(message) { super(message); this.name = "Own"; this.message = message + "!"; } }
    const text = { toString() { return "text"; } };
    const set = {}; set.toString = () => "set"; set.constructor = 1;
    console.log("seen");
    const rows = await context.tables.list("${salaries.slug}");
    return {
      rows: rows.length, doubled: [1, 2].map(double), json: JSON.stringify({ a: [new Date(0)] }),
      error: String(new Own("no")), text: String(text) + String(set), stolen: typeof globalThis.stolen,
      words: lists.unique(["a", "a"]),
    };`;
  const nodes = [{ id: "code", type: "script", config: { source } }];
  const run = await runWorkflow(owner, await deployWorkflow(owner, nodes));
  expect(run.error).toBeNull();
  expect(stepsOf(run)["code"].output).toMatchObject({
    doubled: [2, 4],
    json: '{"a":["1970-01-01T00:00:00.000Z"]}',
    error: "Own: no!",
    text: "textset",
    stolen: "undefined",
  });
});
