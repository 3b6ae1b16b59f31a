import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const ALL = "/api/v1/workflows";

const inner = (config: object) => ({ id: "call", type: "http", config });
const looped = (config: object, more: object = {}) => ({
  name: "Ship",
  trigger: { type: "manual" },
  nodes: [
    {
      id: "each",
      type: "loop",
      config: { items: [1, 2], body: { nodes: [inner(config)], edges: [] } },
    },
  ],
  edges: [],
  ...more,
});
const URL_A = { url: "https://example.com/a" };

async function made(definition: object): Promise<string> {
  const { body, status } = await owner(`POST ${ALL}`, definition);
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.data.id;
}

test("an error names the step and the field, also in a loop", async () => {
  const definition = looped({ url: "ftp://x" }, { timeoutMs: -1 });
  const { body, events } = await owner(`POST ${ALL}/validate`, definition);
  expect([body.status, body.errors?.[0]?.path]).toEqual([422, "/timeoutMs"]);
  const valid = await owner(`POST ${ALL}/validate`, looped({ url: "ftp://x" }));
  expect([events, valid.events]).toEqual([[], []]);
  expect(valid.body.data.errors).toMatchObject([
    {
      path: "/nodes/0/config/body/nodes/0/config/url",
      stepId: "each.call",
      field: "/config/url",
    },
  ]);
});

test("an unsaved draft, valid or not, is compared by step, also in loops", async () => {
  const id = await made(looped(URL_A, { note: "Ask Ada" }));
  const diff = (definition: object, from?: string) =>
    owner(`POST ${ALL}/${id}/diff`, { definition, from });
  const changed = looped({ url: "https://example.com/b" }, { note: "Ask Ada" });
  const { status, body, events } = await diff(changed);
  expect([status, events]).toEqual([200, []]);
  expect(body.data).toEqual({
    from: { id: null, version: null },
    identical: false,
    harmless: false,
    fields: [],
    steps: [
      {
        stepId: "each.call",
        name: "call",
        type: "http",
        change: "changed",
        harmless: false,
        fields: [
          {
            field: "/config/url",
            before: "https://example.com/a",
            after: "https://example.com/b",
          },
        ],
      },
    ],
    stepEdges: { added: [], removed: [] },
  });
  const broken = await diff({ nodes: [{ id: "x", type: "nope" }, null], edges: "?" }, "1");
  expect(broken.body.data.from).toMatchObject({ version: 1 });
  expect(broken.body.data.steps.map(({ stepId, change }: any) => [stepId, change])).toEqual([
    ["x", "added"],
    ["each", "removed"],
    ["each.call", "removed"],
  ]);
  expect((await diff(looped(URL_A, { note: "Ask Ada" }))).body.data).toMatchObject({
    identical: true,
    harmless: true,
    steps: [],
  });
  expect((await diff({}, "99")).status).toBe(404);
});

test("stores, versions and escapes notes and tags, and filters workflows by tag", async () => {
  const noted = looped(URL_A, { note: "Whole", tags: ["billing", "night run"] });
  const [loop] = noted.nodes;
  const id = await made({ ...noted, nodes: [{ ...loop, note: "Slow" }] });
  const { body } = await owner(`GET ${ALL}/${id}`);
  expect(body.data).toMatchObject({
    note: "Whole",
    tags: ["billing", "night run"],
    nodes: [{ note: "Slow" }],
  });
  const found = await owner(`GET ${ALL}?tag=night%20run`);
  expect(found.body.data.map((one: any) => [one.id, one.tags])).toEqual([
    [id, ["billing", "night run"]],
  ]);
  expect((await owner(`GET ${ALL}?tag=night`)).body.data).toEqual([]);
  const saved = await owner(`PATCH ${ALL}/${id}`, { note: null, tags: ["billing"] });
  expect(saved.events).toEqual(["workflow.updated", "workflow.version_created"]);
  expect(saved.body.data).not.toHaveProperty("note");
  const diff = await owner(`GET ${ALL}/${id}/versions/1/diff/2`);
  expect(diff.body.data).toMatchObject({ identical: false, harmless: true, steps: [] });
  const hostile = [
    { tags: ["a,b"] },
    { tags: [" a"] },
    { tags: ["a", "a"] },
    { tags: Array.from({ length: 21 }, (_, index) => `t${index}`) },
    { note: "x".repeat(2_001) },
    { nodes: [{ id: "a", type: "set", config: { values: {} }, note: "x".repeat(2_001) }] },
  ];
  for (const change of hostile) {
    const refused = await owner(`PATCH ${ALL}/${id}`, change);
    expect([refused.status, refused.events]).toEqual([422, []]);
  }
});

test("previews the effects of deployment and rollback without changes", async () => {
  const secret = "PREVIEW_SECRET";
  await owner("POST /api/v1/secrets", { name: secret, value: "a value" });
  const id = await made(looped(URL_A));
  const preview = async (query = "", environment = "production") => {
    const headers = { "x-environment": environment };
    const answer = await owner(`GET ${ALL}/${id}/publish${query}`, undefined, headers);
    expect(answer.events).toEqual([]);
    return answer;
  };
  expect((await preview()).body.data).toMatchObject({
    environment: "production",
    current: null,
    next: { version: 1, versionId: expect.stringMatching(/^wfv_/) },
    possible: true,
    errors: [],
    difference: null,
    trigger: { before: null, after: { type: "manual" }, change: "starts" },
    runs: [],
  });
  expect(await preview("?rollback=true")).toMatchObject({
    status: 409,
    body: { code: "nothing_to_roll_back" },
  });
  await owner(`POST ${ALL}/${id}/publish`);
  const ask = { id: "ask", type: "approval", config: { approvers: ["owner"] } };
  const headers = { Authorization: `Bearer {{ secrets.${secret} }}` };
  const trigger = { type: "schedule", cron: "0 9 * * *" };
  await owner(`PATCH ${ALL}/${id}`, {
    trigger,
    nodes: [ask, { id: "call", type: "http", config: { ...URL_A, headers } }],
  });
  await owner(`DELETE /api/v1/secrets/${secret}`);
  const changed = (await preview()).body.data;
  expect(changed).toMatchObject({
    current: { version: 1, enabled: true },
    next: { version: 2 },
    possible: false,
    errors: [{ stepId: "call", field: "/config/headers/Authorization" }],
    trigger: { before: { type: "manual" }, after: trigger, change: "changes" },
  });
  expect(changed.difference.steps.map(({ stepId }: any) => stepId)).toEqual([
    "ask",
    "call",
    "each",
    "each.call",
  ]);
  expect((await preview("", "staging")).body.data.current).toBeNull();
  await owner(`POST ${ALL}/${id}/deactivate`);
  expect((await preview()).body.data.trigger).toEqual({
    before: null,
    after: null,
    change: "stays_off",
  });
  const asking = await made({ ...looped(URL_A), nodes: [ask], edges: [] });
  await owner(`POST ${ALL}/${asking}/publish`);
  await owner(`POST ${ALL}/${asking}/trigger`, {});
  await owner(`PATCH ${ALL}/${asking}`, { note: "Asks" });
  await owner(`POST ${ALL}/${asking}/publish`);
  const back = await owner(`GET ${ALL}/${asking}/publish?rollback=true`);
  expect(back.body.data).toMatchObject({
    current: { version: 2 },
    next: { version: 1 },
    difference: { harmless: true },
    runs: [{ version: 1, status: "paused", count: 1 }],
  });
  const named = await owner(`GET ${ALL}/${id}/publish?versionId=wfv_01jd0000000000000000000000`);
  expect([named.status, named.body.errors[0].path]).toEqual([422, "/versionId"]);
});
