import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

let count = 0;

function fresh() {
  count += 1;
  return {
    name: `Sample query ${count}`,
    description: "For the sweeps",
    sql: "select n from generate_series(1, $1) as n where n > $2",
    parameters: [{ name: "to", type: "integer", default: 3 }, { name: "above" }],
  };
}

/** Creates a query; it is the same in all environments. */
async function saved(owner: Ask) {
  const { body } = await owner("POST /api/v1/queries", fresh());
  return { params: { id: body.data.id as string }, environmentScoped: false };
}

const manner = { limit: 10, timeoutMs: 5_000, rowMode: "object" };

export const samples: readonly Sample[] = [
  {
    operation: "queries.run",
    arrange: async () => ({ body: { sql: "select $1::text as word", params: ["a"], ...manner } }),
  },
  { operation: "queries.views", arrange: async () => ({ partitioned: false }) },
  {
    operation: "queries.explain",
    arrange: async () => ({
      body: {
        sql: "select $1::text as word",
        params: ["a"],
        limit: 10,
        timeoutMs: 5_000,
        run: true,
      },
    }),
  },
  { operation: "queries.schema", arrange: async () => ({}) },
  { operation: "queries.list", arrange: async () => ({ query: { limit: "2" } }) },
  { operation: "queries.create", arrange: async () => ({ body: fresh() }) },
  { operation: "queries.get", arrange: saved },
  {
    operation: "queries.update",
    arrange: async (owner) => ({ ...(await saved(owner)), body: fresh() }),
  },
  { operation: "queries.delete", arrange: saved },
  {
    operation: "queries.run_saved",
    arrange: async (owner) => ({
      ...(await saved(owner)),
      body: { params: { to: 5, above: 1 }, ...manner },
    }),
  },
];
