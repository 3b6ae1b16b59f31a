import { resourceSamples, type Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";
import { absences } from "./absence.ts";
import { rules } from "./rule.ts";

let count = 0;

async function absence(owner: Ask) {
  const times = { from: "2026-12-21T00:00:00Z", until: "2027-01-04T00:00:00Z" };
  const { body } = await owner("POST /api/v1/itsm/absences", times);
  return { params: { id: body.data.id as string }, environmentScoped: false };
}

export const samples: readonly Sample[] = [
  ...resourceSamples(rules, async (_owner, world) => {
    count += 1;
    const { userId } = await world.member(["agent"]);
    return {
      name: `Rule ${count}`,
      entity: "incident",
      // A category that no other sample uses.
      conditions: { category: `sample ${count}` },
      method: "round_robin",
      userIds: [userId],
    };
  }),
  {
    operation: "assignment_rules.simulate",
    async arrange(_owner, world) {
      const { userId } = await world.member(["agent"]);
      const rule = { name: "A draft", entity: "incident", method: "fixed", userIds: [userId] };
      return { body: { entity: "incident", rule } };
    },
  },
  {
    operation: "absences.list",
    arrange: async () => ({ query: { limit: "2", current: "true" }, environmentScoped: false }),
  },
  { operation: "absences.get", arrange: absence },
  ...resourceSamples(absences, async () => ({
    from: "2026-12-21T00:00:00Z",
    until: "2027-01-04T00:00:00Z",
  })),
];
