import fc from "fast-check";
import { expect, test } from "vitest";
import { EarlierSteps } from "./earlier-steps.ts";

test("a step is earlier if a path of edges leads from it, also with a cycle", () => {
  const id = fc.integer({ min: 0, max: 40 }).map((n) => `n${n}`);
  const edges = fc.array(fc.record({ from: id, to: id }), { maxLength: 60 });
  fc.assert(
    fc.property(edges, id, (all, target) => {
      const found = new Set<string>();
      const pending = [target];
      for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
        for (const { from, to } of all) {
          if (to !== at || found.has(from)) continue;
          found.add(from);
          pending.push(from);
        }
      }
      const before = new EarlierSteps([...all, { from: 1 }, null]).of(target);
      const names = Array.from({ length: 41 }, (_, n) => `n${n}`);
      expect(names.filter((name) => before.has(name))).toEqual(
        names.filter((name) => found.has(name)),
      );
    }),
    { seed: 1 },
  );
});
