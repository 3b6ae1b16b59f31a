import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

let count = 0;

/** A source that is valid for artifacts of all types. */
const SOURCE = "return { seen: input };";

function fresh() {
  count += 1;
  return {
    name: `sample ${count}`,
    artifactType: "workflow_node",
    moduleKey: "samples",
    detail: { scriptSource: SOURCE },
  };
}

/** An artifact is shared by all environments. */
export async function kept(owner: Ask) {
  const { body } = await owner("POST /api/v1/flowsdk/artifacts", fresh());
  return { params: { id: String(body.data.id) }, environmentScoped: false };
}

async function executed(owner: Ask) {
  const { params } = await kept(owner);
  const path = `/api/v1/flowsdk/artifacts/${params.id}`;
  await owner(`POST ${path}/execute`, { inputPayload: {} });
  const { body } = await owner(`GET ${path}/executions`);
  return { params: { ...params, executionId: String(body.data[0].id) } };
}

async function tested(owner: Ask) {
  const { params } = await kept(owner);
  const path = `/api/v1/flowsdk/artifacts/${params.id}/test-cases`;
  const { body } = await owner(`POST ${path}`, {
    name: "sees",
    inputPayload: { a: 1 },
    expected: { seen: { a: 1 } },
  });
  return { params: { ...params, testCaseId: String(body.data.id) }, environmentScoped: false };
}

export const samples: readonly Sample[] = [
  { operation: "artifacts.list", arrange: async () => ({ query: { limit: "2" } }) },
  { operation: "artifacts.create", arrange: async () => ({ body: fresh() }) },
  { operation: "artifacts.get", arrange: kept },
  { operation: "artifacts.get_usage", arrange: kept },
  {
    operation: "artifacts.update",
    arrange: async (owner) => ({ ...(await kept(owner)), body: { description: "A sample" } }),
  },
  { operation: "artifacts.delete", arrange: kept },
  { operation: "artifacts.list_versions", arrange: kept },
  {
    operation: "artifacts.get_version",
    arrange: async (owner) => {
      const { params, ...rest } = await kept(owner);
      return { ...rest, params: { ...params, versionNumber: "1" }, openParams: true };
    },
  },
  {
    operation: "artifacts.restore",
    arrange: async (owner) => {
      const { params, ...rest } = await kept(owner);
      return { ...rest, params: { ...params, versionNumber: "1" }, openParams: true };
    },
  },
  {
    operation: "artifacts.execute",
    arrange: async (owner) => ({
      params: (await kept(owner)).params,
      body: { inputPayload: { a: 1 }, triggerType: "manual" },
      environmentScoped: false,
    }),
  },
  {
    operation: "artifacts.list_executions",
    arrange: async (owner) => ({ ...(await kept(owner)) }),
  },
  { operation: "artifacts.get_execution", arrange: executed },
  { operation: "artifacts.list_test_cases", arrange: kept },
  {
    operation: "artifacts.create_test_case",
    arrange: async (owner) => ({
      ...(await kept(owner)),
      body: { name: "one", inputPayload: {}, expected: { seen: {} } },
    }),
  },
  {
    operation: "artifacts.update_test_case",
    arrange: async (owner) => ({ ...(await tested(owner)), body: { expected: { seen: {} } } }),
  },
  { operation: "artifacts.delete_test_case", arrange: tested },
  {
    operation: "artifacts.run_test_cases",
    arrange: async (owner) => {
      const { testCaseId: _, ...params } = (await tested(owner)).params;
      return { params, environmentScoped: false };
    },
  },
];
