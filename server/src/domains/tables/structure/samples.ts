import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

let count = 0;

function fresh() {
  count += 1;
  return {
    name: `Sample ${count}`,
    slug: `sample_table_${count}`,
    description: "For the sweeps",
    columns: [
      { name: "title", type: "text", required: true },
      { name: "amount", type: "integer" },
    ],
    indexes: [{ columns: ["title", "amount"] }],
    rules: [{ roles: ["agent"], actions: ["read"], where: { amount: { gt: 5 } } }],
  };
}

async function made(owner: Ask) {
  const { body } = await owner("POST /api/v1/tables", fresh());
  return { params: { slug: body.data.slug as string } };
}

export const samples: readonly Sample[] = [
  { operation: "tables.list", arrange: async () => ({ query: { limit: "2" } }) },
  { operation: "tables.create", arrange: async () => ({ body: fresh() }) },
  { operation: "tables.get", arrange: (owner) => made(owner) },
  {
    operation: "tables.update",
    arrange: async (owner) => ({
      ...(await made(owner)),
      body: {
        name: "Renamed",
        description: "Changed by a sweep",
        rules: [],
        renameColumns: [{ from: "title", to: "heading" }],
        dropIndexes: [{ columns: ["heading", "amount"] }],
        dropColumns: ["amount"],
        alterColumns: [{ name: "heading", indexed: true }],
        addColumns: [{ name: "day", type: "date", default: "$now" }],
        addIndexes: [{ columns: ["day", "createdBy"], unique: true, name: "one-a-day" }],
      },
    }),
  },
  { operation: "tables.drop", arrange: (owner) => made(owner) },
];
