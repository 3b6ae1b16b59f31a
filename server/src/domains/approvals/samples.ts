import type { Sample } from "#kernel/testing/samples.ts";
import type { World } from "#kernel/testing/world.ts";

async function delegation(world: World) {
  const { userId } = await world.member(["member"]);
  const times = { from: "2031-01-01T00:00:00Z", to: "2031-01-02T00:00:00Z" };
  return { body: { toUserId: userId, ...times } };
}

export const samples: readonly Sample[] = [
  { operation: "approvals.inbox", arrange: async () => ({}) },
  { operation: "approvals.list_delegations", arrange: async () => ({}) },
  { operation: "approvals.set_delegation", arrange: (_owner, world) => delegation(world) },
  {
    operation: "approvals.end_delegation",
    async arrange(owner, world) {
      await owner("PUT /api/v1/approvals/delegations", (await delegation(world)).body);
      return {};
    },
  },
];
