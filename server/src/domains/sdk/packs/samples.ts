import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

let count = 0;

function fresh() {
  count += 1;
  return {
    id: `sample-${count}`,
    name: `Sample ${count}`,
    version: "1.0.0",
    artifacts: ["echo"],
    artifactDefinitions: {
      echo: { artifactType: "data_transformer", detail: { scriptSource: "return input;" } },
    },
  };
}

const GREETING = {
  name: "Sample greeting",
  trigger: { type: "manual" },
  nodes: [{ id: "greet", type: "set", config: { values: { hello: "world" } } }],
  edges: [],
};

async function runGreeting(owner: Ask): Promise<string> {
  const { body } = await owner("POST /api/v1/workflows", GREETING);
  await owner(`POST /api/v1/workflows/${body.data.id}/publish`);
  const run = await owner(`POST /api/v1/workflows/${body.data.id}/trigger?wait=10000`, {});
  return String(run.body.data.id);
}

async function installed(owner: Ask) {
  const { body } = await owner("POST /api/v1/sdk/packs/install", fresh());
  return { params: { id: String(body.data.id) }, environmentScoped: false };
}

export const samples: readonly Sample[] = [
  {
    operation: "code.apply",
    arrange: async () => {
      count += 1;
      const query = { name: `Sample of code ${count}`, sql: "select 1 as n" };
      return { body: { project: `sample-${count}`, items: { queries: [query] } } };
    },
  },
  { operation: "code.export", arrange: async () => ({ query: { kinds: "queries" } }) },
  {
    operation: "code.fixture",
    arrange: async (owner) => ({ query: { runId: await runGreeting(owner) } }),
  },
  {
    operation: "code.test_workflow",
    arrange: async (owner) => {
      const runId = await runGreeting(owner);
      const { body } = await owner(`GET /api/v1/code/fixture?runId=${runId}`);
      return { body: { definition: GREETING, fixtures: [body.data] } };
    },
  },
  {
    operation: "code.test_artifact",
    arrange: async () => ({
      body: {
        artifact: {
          key: "echo",
          name: "echo",
          artifactType: "workflow_node",
          detail: { scriptSource: "return input;" },
        },
        cases: [{ name: "echoes", inputPayload: { n: 1 }, expected: { n: 1 } }],
      },
    }),
  },
  { operation: "packs.list", arrange: async () => ({ query: { limit: "2" } }) },
  { operation: "packs.list_catalog", arrange: async () => ({ query: {} }) },
  { operation: "packs.get", arrange: installed },
  { operation: "packs.install", arrange: async () => ({ body: fresh() }) },
  {
    operation: "packs.install",
    name: "with a role",
    arrange: async () => {
      const pack = fresh();
      const roles = [{ name: `Role of ${pack.id}`, permissions: ["profile"] }];
      return { body: { ...pack, resources: { roles } } };
    },
  },
  { operation: "packs.uninstall", arrange: installed },
  {
    operation: "packs.install_baseline",
    arrange: async (owner) => {
      await owner("DELETE /api/v1/sdk/packs/itsm_baseline_pack");
      return { body: { packKey: "itsm_baseline_pack" } };
    },
  },
];
