import type { Sample } from "#kernel/testing/samples.ts";

let count = 0;

export const samples: readonly Sample[] = [
  { operation: "undo.list_types", arrange: async () => ({}) },
  {
    operation: "undo.perform",
    async arrange(owner) {
      count += 1;
      const macro = { name: `Undone ${count}`, steps: [{ act: "tag", add: ["undone"] }] };
      const { headers } = await owner("POST /api/v1/itsm/macros", macro);
      return { body: { correlationId: headers["x-correlation-id"] ?? "" } };
    },
  },
];
