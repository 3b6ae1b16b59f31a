import type { Sample } from "#kernel/testing/samples.ts";

export const samples: readonly Sample[] = [
  { operation: "audit.query", arrange: async () => ({ query: { limit: "5", type: "*" } }) },
  {
    operation: "audit.get",
    arrange: async (owner) => {
      await owner("PATCH /api/v1/workspaces/default", { description: "An event to look at" });
      const { body } = await owner("GET /api/v1/audit?limit=1");
      return { params: { eventId: body.data[0].id } };
    },
  },
  { operation: "event_types.list", arrange: async () => ({ query: { limit: "2" } }) },
];
