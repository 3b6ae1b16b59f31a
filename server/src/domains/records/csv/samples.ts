import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

let count = 0;

async function made(owner: Ask) {
  count += 1;
  const slug = `sample_csv_${count}`;
  const columns = [
    { name: "number", type: "text", unique: true },
    { name: "total", type: "decimal" },
  ];
  await owner("POST /api/v1/tables", { name: slug, slug, columns });
  await owner(`POST /api/v1/tables/${slug}/records`, { number: "A-1", total: 1 });
  return { params: { slug } };
}

export const samples: readonly Sample[] = [
  {
    operation: "records.export",
    arrange: async (owner) => ({
      ...(await made(owner)),
      query: { format: "csv", formulas: "escaped" },
    }),
  },
  {
    operation: "records.import",
    arrange: async (owner) => ({
      ...(await made(owner)),
      query: { key: "number", onError: "skip" },
      body: { csv: "number,total\nA-1,2\nA-2,3\nA-3,x\n" },
    }),
  },
];
