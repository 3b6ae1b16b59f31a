import type { Sample } from "#kernel/testing/samples.ts";

export const samples: readonly Sample[] = [
  {
    operation: "access.list_operations",
    arrange: async () => ({ partitioned: false, environmentScoped: false }),
  },
  {
    operation: "access.explain",
    async arrange(_owner, world) {
      const { userId } = await world.member(["viewer"]);
      return { query: { userId, operation: "incidents.create" }, environmentScoped: false };
    },
  },
];
