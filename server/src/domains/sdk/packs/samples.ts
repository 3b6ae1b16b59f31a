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
