import { expect, test } from "vitest";
import { deployWorkflow, runWorkflow, stepsOf } from "#domains/runs/testing/workflows.ts";
import { until, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);
const ARTIFACTS = "/api/v1/sdk/artifacts";

const draft = (name: string, scriptSource: string, more: object = {}) => ({
  name,
  artifactType: "script_module",
  status: "active",
  detail: { scriptSource },
  ...more,
});
const save = (name: string, source: string, more: object = {}) =>
  owner(`POST ${ARTIFACTS}`, draft(name, source, more));

async function create(name: string, source: string, more: object = {}): Promise<string> {
  const made = await save(name, source, more);
  expect(made.body.errors ?? made.status).toBe(201);
  expect(made.events).toEqual(["artifact.created"]);
  return made.body.data.id;
}

async function change(id: string, scriptSource: string): Promise<void> {
  const changed = await owner(`PATCH ${ARTIFACTS}/${id}`, { detail: { scriptSource } });
  expect(changed.body.errors ?? changed.status).toBe(200);
}

const execute = async (id: string, inputPayload: object = {}) =>
  (await owner(`POST ${ARTIFACTS}/${id}/execute`, { inputPayload })).body.data;

const script = (source: string) => ({ id: "code", type: "script", config: { source } });

test("scripts import modules, which can import others, all within the sandbox", async () => {
  await create("units", "export const cents = (euros: number): number => Math.round(euros * 100);");
  await create(
    "price",
    `import { cents } from "module:units";
     export const total = (list) => lists.sum(list.map(({ euros }) => cents(euros)));
     export function fail() { throw new RangeError("too dear"); }`,
    { moduleKey: "shop" },
  );
  const workflow = await deployWorkflow(owner, [
    script(`import { total } from "module:shop/price";
import { cents } from "module:units"; // one instance, however many import it
return { total: total([{ euros: 1.5 }, { euros: 2 }]), cents: cents(0.29), rights: typeof globalThis.context };`),
  ]);
  const run = await runWorkflow(owner, workflow);
  expect(run.error).toBeNull();
  expect(stepsOf(run)["code"].output).toEqual({ total: 350, cents: 29, rights: "undefined" });
  const artifact = await create(
    "quote",
    `import { total, fail } from "module:shop/price";
     export default defineArtifact({ inputs: { fails: { type: "boolean" } }, execute(input) {
       if (input.fails) fail();
       return { total: total([{ euros: 3 }]) };
     } });`,
    { artifactType: "workflow_node" },
  );
  expect((await execute(artifact)).output).toEqual({ total: 300 });
  const { runtimeError } = await execute(artifact, { fails: true });
  expect(runtimeError).toMatchObject({ name: "RangeError", message: "too dear", line: 3 });
  expect(runtimeError.stack).toContain("module:shop/price:3");
});

test("deployed workflows and saved artifacts keep their module versions until an update is requested", async () => {
  const source = (n: number) => `export const answer = () => ${n};`;
  const module = await create("answers", source(1));
  const code = 'import { answer } from "module:answers"; return answer();';
  const workflow = await deployWorkflow(owner, [script(code)]);
  const artifact = await create("answerer", code, { artifactType: "workflow_node" });
  const outputs = async (headers: Record<string, string> = {}) => {
    const started = await owner(`POST /api/v1/workflows/${workflow}/trigger`, {}, headers);
    return until(async () => {
      const { body } = await owner(
        `GET /api/v1/runs/${started.body.data.runId}`,
        undefined,
        headers,
      );
      return body.data.status === "completed" && body.data.output;
    });
  };
  expect([await outputs(), (await execute(artifact)).output.result]).toEqual([1, 1]);
  await change(module, source(2));
  expect([await outputs(), (await execute(artifact)).output.result]).toEqual([1, 1]);
  const staging = { "x-environment": "staging" };
  await owner(`POST /api/v1/workflows/${workflow}/publish`, {}, staging);
  expect([await outputs(), await outputs(staging)]).toEqual([1, 2]);
  await owner(`POST /api/v1/workflows/${workflow}/publish`, { updateModules: true });
  await owner(`PATCH ${ARTIFACTS}/${artifact}`, { updateModules: true });
  expect([await outputs(), (await execute(artifact)).output.result]).toEqual([2, 2]);
  // A roll-back restores the modules of the version.
  await owner(`PATCH /api/v1/workflows/${workflow}`, { nodes: [script(`${code} // again`)] });
  await change(module, source(3));
  await owner(`POST /api/v1/workflows/${workflow}/publish`, { updateModules: true });
  expect(await outputs()).toBe(3);
  await owner(`POST /api/v1/workflows/${workflow}/rollback`, {});
  expect(await outputs()).toBe(2);
  const usage = (await owner(`GET ${ARTIFACTS}/${module}/usage`)).body.data;
  expect(usage.usedIn.map(({ kind, id }: any) => `${kind} ${id}`).toSorted()).toEqual(
    [`artifact ${artifact}`, `workflow ${workflow}`].toSorted(),
  );
  expect(usage.pinned).toEqual([
    { versionNumber: 3, scripts: 1 },
    { versionNumber: 2, scripts: 3 },
  ]);
  const removed = await owner(`DELETE ${ARTIFACTS}/${module}`);
  expect(removed).toMatchObject({ status: 409, body: { code: "module_in_use" }, events: [] });
});

test("a deployment updates modules only on request, and its preview names their editors", async () => {
  const [first, second] = [
    await create("tax", "export const rate = () => 1;"),
    await create("fee", "export const fee = () => 10;"),
  ];
  const code = (tail = "") =>
    `import { rate } from "module:tax";
import { fee } from "module:fee";
return rate() + fee();${tail}`;
  const workflow = await deployWorkflow(owner, [script(code())]);
  const colleague = await world.member(["builder"]);
  for (const [id, source] of [
    [first, "export const rate = () => 2;"],
    [second, "export const fee = () => 20;"],
  ]) {
    const changed = await colleague(`PATCH ${ARTIFACTS}/${id}`, {
      detail: { scriptSource: source },
    });
    expect(changed.status).toBe(200);
  }
  const path = `/api/v1/workflows/${workflow}`;
  const changes = async () => (await owner(`GET ${path}/publish`)).body.data.modules;
  const publish = async (body: object) => {
    expect((await owner(`POST ${path}/publish`, body)).status).toBe(200);
    const run = await runWorkflow(owner, workflow);
    return run.output;
  };
  const by = { id: colleague.userId, name: expect.any(String) };
  const tax = { name: "module:tax", from: 1, to: 2, savedBy: by, savedAt: expect.any(String) };
  expect(await changes()).toEqual(expect.arrayContaining([tax, { ...tax, name: "module:fee" }]));
  // The same version again, a version with another note, and one with another script.
  expect(await publish({})).toBe(11);
  await owner(`PATCH ${path}`, { description: "Another note" });
  expect(await publish({})).toBe(11);
  await owner(`PATCH ${path}`, { nodes: [script(code(" // again"))] });
  expect(await publish({ updateModules: [] })).toBe(11);
  expect(await publish({ updateModules: ["module:tax"] })).toBe(12);
  expect(await changes()).toEqual([{ ...tax, name: "module:fee" }]);
  // A newly imported module has no earlier version to keep.
  await create("extra", "export const extra = () => 100;");
  await owner(`PATCH ${path}`, {
    nodes: [
      script(
        `import { extra } from "module:extra";
${code().replace("return", "return extra() +")}`,
      ),
    ],
  });
  expect((await changes()).map(({ name, from, to }: any) => [name, from, to])).toEqual(
    expect.arrayContaining([
      ["module:extra", null, 1],
      ["module:fee", 1, 2],
    ]),
  );
  expect(await publish({})).toBe(112);
  expect(await publish({ updateModules: true })).toBe(122);
  expect(await changes()).toEqual([]);
});

test("a saved artifact updates modules only on request, and names their editors", async () => {
  const modules = [
    await create("duty", "export const duty = () => 1;"),
    await create("toll", "export const toll = () => 10;"),
  ];
  const code = (tail = "") =>
    `import { duty } from "module:duty";
import { toll } from "module:toll";
return duty() + toll();${tail}`;
  const id = await create("charges", code(), { artifactType: "workflow_node" });
  const colleague = await world.member(["builder"]);
  const sources = ["export const duty = () => 2;", "export const toll = () => 20;"];
  for (const [n, scriptSource] of sources.entries()) {
    const changed = await colleague(`PATCH ${ARTIFACTS}/${modules[n]}`, {
      detail: { scriptSource },
    });
    expect(changed.status).toBe(200);
  }
  const newer = async () => (await owner(`GET ${ARTIFACTS}/${id}/usage`)).body.data.newerModules;
  const by = { id: colleague.userId, name: expect.any(String) };
  const duty = { name: "module:duty", from: 1, to: 2, savedBy: by, savedAt: expect.any(String) };
  const toll = { ...duty, name: "module:toll" };
  const saved = async (call: string, body?: object) => {
    const { status, events } = await owner(`${call.replace(" ", ` ${ARTIFACTS}/${id}`)}`, body);
    expect(status).toBe(200);
    return [events, (await execute(id)).output.result];
  };
  const updated = ["artifact.updated"];
  expect(await newer()).toEqual(expect.arrayContaining([duty, toll]));
  // Another script, another name, an earlier version, and a folder with only the script.
  const again = code(" // again");
  expect(await saved("PATCH ", { detail: { scriptSource: again } })).toEqual([updated, 11]);
  expect(await saved("PATCH ", { name: "charges2" })).toEqual([updated, 11]);
  expect(await saved("POST /restore/1")).toEqual([["artifact.restored"], 11]);
  const item = { key: "default/charges2", ...draft("charges2", code(" // folder")) };
  const artifacts = [{ ...item, artifactType: "workflow_node" }];
  const applied = await owner("POST /api/v1/code/apply", { project: "dues", items: { artifacts } });
  expect(applied.body.errors ?? applied.status).toBe(200);
  expect((await execute(id)).output.result).toBe(11);
  expect(await newer()).toHaveLength(2);
  // Only named modules are updated, with or without a script change.
  expect(await saved("PATCH ", { updateModules: ["module:duty"] })).toEqual([updated, 12]);
  expect(await newer()).toEqual([toll]);
  expect(await saved("PATCH ", { detail: { scriptSource: code() }, updateModules: true })).toEqual([
    updated,
    22,
  ]);
  expect(await newer()).toEqual([]);
  const moved = ["version", "versionNumber", "detail", "modules"];
  const [event] = (await owner("GET /api/v1/audit?type=artifact.updated&limit=1")).body.data;
  expect([event.type, event.data.changes]).toEqual(["artifact.updated", moved]);
});

test("a folder with a module and its importing script updates the module", async () => {
  const apply = async (sum: number) => {
    const artifacts = [
      { key: "default/sums", ...draft("sums", `export const sum = () => ${sum};`) },
      {
        key: "default/summer",
        ...draft("summer", `import { sum } from "module:sums"; return sum(); // ${sum}`),
        artifactType: "workflow_node",
      },
    ];
    const applied = await owner("POST /api/v1/code/apply", {
      project: "sums",
      items: { artifacts },
    });
    expect(applied.body.errors ?? applied.status).toBe(200);
    const { body } = await owner(`GET ${ARTIFACTS}?artifactType=workflow_node&limit=200`);
    const { id } = body.data.find(({ name }: any) => name === "summer");
    return (await execute(id)).output.result;
  };
  expect([await apply(1), await apply(2)]).toEqual([1, 2]);
});

test("a module is run and tested by its exports", async () => {
  const id = await create(
    "greet",
    'export const hello = (name) => `Hello, ${name}`; export default () => "?";',
  );
  expect((await execute(id, { export: "hello", arguments: ["Ada"] })).output.result).toBe(
    "Hello, Ada",
  );
  expect((await execute(id)).output.result).toBe("?");
  expect((await execute(id, { export: "none" })).runtimeError.message).toMatch(
    /exports no function none/,
  );
  await owner(`POST ${ARTIFACTS}/${id}/test-cases`, {
    name: "greets",
    inputPayload: { export: "hello", arguments: ["Bob"] },
    expected: { result: "Hello, Bob" },
  });
  const tested = await owner(
    `POST ${ARTIFACTS.replace("v1/sdk", "v1/flowsdk")}/${id}/test-cases/run-all`,
  );
  expect(tested.body.data).toMatchObject({ passed: 1, failed: 0 });
});

test("rejects missing modules, import cycles and other artifacts with their position", async () => {
  const errorsOf = async (name: string, source: string, more: object = {}) => {
    const refused = await save(name, source, more);
    expect([refused.status, refused.events]).toEqual([422, []]);
    return refused.body.errors;
  };
  const at = "/detail/scriptSource";
  expect(await errorsOf("a", 'import { x } from "module:nowhere";')).toEqual([
    { path: at, message: expect.stringContaining("module:nowhere") },
  ]);
  expect(await errorsOf("a", "export const = 1;")).toEqual([
    { path: at, message: expect.stringMatching(/module:a: .*\(line 1/) },
  ]);
  expect((await errorsOf("a b", "export const x = 1;"))[0].path).toMatch(/name|scriptSource/);
  expect(await errorsOf("a", 'import "node:fs";')).toEqual([
    { path: at, message: expect.stringContaining("node:fs") },
  ]);
  const one = await create("one", "export const x = 1;");
  await create("two", 'import { x } from "module:one"; export const y = x;');
  const circle = await owner(`PATCH ${ARTIFACTS}/${one}`, {
    detail: {
      scriptSource:
        'import { y } from "module:default/two"; export const x = 1; export const z = () => y;',
    },
  });
  expect(circle.body.errors).toEqual([
    { path: at, message: expect.stringContaining("also imports this artifact") },
  ]);
  const node = (source: string) => ({
    name: "Wrong",
    trigger: { type: "manual" },
    nodes: [script(source)],
    edges: [],
  });
  for (const source of [
    'import { x } from "module:nowhere"; return x;',
    'import { none } from "module:one"; return none;',
    'import fs from "fs"; return fs;',
  ]) {
    const wrong = await owner("POST /api/v1/workflows", node(source));
    expect(wrong.body.errors[0]).toMatchObject({ path: "/nodes/0/config/source" });
  }
});

test("a folder can contain modules and their importers in any order", async () => {
  const items = {
    artifacts: [
      {
        key: "default/area",
        ...draft("area", 'import { pi } from "module:circle"; export default (r) => pi * r * r;'),
      },
      { key: "default/circle", ...draft("circle", "export const pi = 3;") },
    ],
  };
  const applied = await owner("POST /api/v1/code/apply", { project: "geometry", items });
  expect(applied.body.errors ?? applied.status).toBe(200);
  const { body } = await owner(`GET ${ARTIFACTS}?artifactType=script_module&limit=200`);
  const { id } = body.data.find(({ name }: any) => name === "area");
  expect((await execute(id, { arguments: [2] })).output.result).toBe(12);
  const exported = await owner("GET /api/v1/code/export");
  expect(JSON.stringify(exported.body)).toContain("module:circle");
});

test("each script of a workspace can have fifty pinned modules; a script with more is rejected", async () => {
  const first = await create("m0", "export const n = 1;");
  await create("deep", "export const n = 100;");
  // Copied in the database, because saving so many would take the sandbox long.
  for (const table of ["artifacts", "artifact_versions"]) {
    const key = table === "artifacts" ? "id" : "artifact_id";
    await world.sql(
      `insert into ${table} select copy.* from ${table} a, generate_series(1, 59) n,
         jsonb_populate_record(a, jsonb_build_object('${key}', a.${key} || n, 'name', 'm' || n)) copy
        where a.${key} = $1`,
      [first],
    );
  }
  const source = 'import { n as deep } from "module:deep"; export const n = 1 + deep;';
  for (const table of ["artifacts", "artifact_versions"]) {
    const key = table === "artifacts" ? "id" : "artifact_id";
    await world.sql(
      `update ${table} set detail = jsonb_set(detail, '{scriptSource}', to_jsonb($2::text)) where ${key} = $1`,
      [`${first}59`, source],
    );
  }
  const sum = (from: number, to: number) => {
    const all = Array.from({ length: to - from }, (_, n) => n + from);
    const lines = all.map((n) => `import { n as n${n} } from "module:m${n}";`);
    return `${lines.join("\n")}\nreturn ${all.map((n) => `n${n}`).join(" + ")};`;
  };
  const [low, high] = [sum(0, 40), sum(40, 60)];
  const workflow = await deployWorkflow(owner, [script(low), { ...script(high), id: "further" }]);
  const run = await runWorkflow(owner, workflow);
  expect(run.error).toBeNull();
  const steps = stepsOf(run);
  expect([steps["code"].output, steps["further"].output]).toEqual([40, 120]);
  const refused = await owner("POST /api/v1/workflows", {
    name: "Too many",
    trigger: { type: "manual" },
    nodes: [script(sum(0, 60))],
    edges: [],
  });
  expect([refused.status, refused.body.errors]).toEqual([
    422,
    [
      {
        path: "/nodes/0/config/source",
        message: "imports more than 50 modules, including indirect imports",
      },
    ],
  ]);
});
