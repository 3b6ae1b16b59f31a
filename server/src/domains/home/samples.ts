import { browser } from "#domains/apps/testing/apps.ts";
import type { Sample } from "#kernel/testing/samples.ts";

export const samples: readonly Sample[] = [
  { operation: "home.show", arrange: async () => ({ partitioned: false }) },
  {
    operation: "home.log_out",
    arrange: async (_owner, world) => ({
      by: browser(world, (await world.member(["viewer"])).token),
    }),
  },
  { operation: "guides.list", arrange: async () => ({ partitioned: false }) },
  { operation: "guides.show", arrange: async () => ({ params: { name: "first-steps" } }) },
];
