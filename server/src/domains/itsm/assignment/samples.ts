import { resourceSamples, type Sample } from "#kernel/testing/samples.ts";
import { absences } from "./absence.ts";
import { rules } from "./rule.ts";

let count = 0;

export const samples: readonly Sample[] = [
  ...resourceSamples(rules, async (_owner, world) => {
    count += 1;
    const { userId } = await world.member(["agent"]);
    return {
      name: `Rule ${count}`,
      entity: "incident",
      // Of no sample that others make.
      conditions: { category: `sample ${count}` },
      method: "round_robin",
      userIds: [userId],
    };
  }),
  ...resourceSamples(absences, async () => ({
    from: "2026-12-21T00:00:00Z",
    until: "2027-01-04T00:00:00Z",
  })),
];
