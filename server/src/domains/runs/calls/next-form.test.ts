import { expect, test } from "vitest";
import { graphOf, loopNode, planOf } from "#domains/workflows/interpreter/testing/notation.ts";
import type { JournalRecord } from "../engine/journal-record.ts";
import { findNextForm } from "./next-form.ts";

const at = "2026-01-01T00:00:00.000Z";
const later = "2026-01-01T00:00:01.000Z";

/**
 * Builds steps from short texts: `a: sent`, `b: link sent 1` (a second later), `c: waits`. Steps are for the
 * sender unless marked `link`.
 */
function find(
  { graph }: ReturnType<typeof planOf>,
  texts: readonly string[],
  sender?: string,
): string | undefined {
  const steps = texts.map((text) => {
    const [path = "", state = ""] = text.split(": ");
    const isSent = state.includes("sent");
    return {
      path,
      status: isSent ? "completed" : "waiting",
      wait: { kind: "form", shownTo: state.includes("link") ? "link" : "sender" },
      ...(isSent && {
        answer: { kind: "form", form: { submittedAt: state.endsWith("1") ? later : at } },
      }),
    };
  });
  return findNextForm(graph, steps as unknown as readonly JournalRecord[], sender);
}

test("only the sender of a form is redirected to the next one", () => {
  const line = planOf(["a", "b", "c"], "a -> b", "b -> c");
  expect(find(line, ["a: waits"])).toBe("a");
  expect(find(line, ["a: link waits"])).toBeUndefined();
  expect(find(line, ["a: sent", "b: waits"])).toBe("b");
  expect(find(line, ["a: sent", "b: waits"], "a")).toBe("b");
  expect(find(line, ["a: link sent", "b: waits"])).toBeUndefined();
  expect(find(line, ["a: link sent", "b: waits"], "a")).toBe("b");
  expect(find(line, ["a: link sent", "b: link sent", "c: waits"], "a")).toBeUndefined();
});

test("the order of the graph decides, not the clocks of the processes", () => {
  const line = planOf(["a", "b", "c"], "a -> b", "b -> c");
  const steps = ["a: link sent 1", "b: link sent", "c: waits"];
  expect([find(line, steps, "a"), find(line, steps, "b")]).toEqual([undefined, "c"]);
});

test("does not redirect to a form in a different branch", () => {
  const sides = planOf(
    ["bob", "more", "ann", "both"],
    "bob -> more",
    "more -> both",
    "ann -> both",
  );
  const steps = ["ann: waits", "bob: link sent", "more: waits"];
  expect([find(sides, steps), find(sides, steps, "bob")]).toEqual(["ann", "more"]);
  const joined = ["ann: sent", "bob: link sent", "more: sent 1", "both: waits"];
  expect([find(sides, joined, "ann"), find(sides, joined, "more")]).toEqual([undefined, "both"]);
  expect(find(sides, ["ann: waits", "more: waits"])).toBe("ann");
  expect(find(sides, ["ann: sent", "more: waits"], "ann")).toBe("more");
});

test("does not redirect to a form of a different item, except in sequential loops", () => {
  const steps = [
    "each[0].a: link sent",
    "each[1].a: link sent 1",
    "each[0].b: waits",
    "each[1].b: waits",
  ];
  const planWith = (concurrency: number) =>
    planOf(
      [loopNode("each", graphOf(["a", "b"], "a -> b"), { concurrency }), "last"],
      "each -> last",
    );
  const atOnce = planWith(2);
  expect(find(atOnce, steps)).toBeUndefined();
  expect(find(atOnce, steps, "each[0].a")).toBe("each[0].b");
  expect(find(atOnce, steps, "each[1].a")).toBe("each[1].b");
  expect(find(atOnce, [...steps.slice(0, 2), "last: waits"], "each[1].a")).toBe("last");
  expect(find(atOnce, [...steps.slice(0, 2), "last: waits"], "each[0].a")).toBeUndefined();
  const oneByOne = planWith(1);
  const turns = ["each[0].a: link sent", "each[0].b: sent", "each[1].b: waits"];
  expect(find(oneByOne, turns, "each[0].b")).toBe("each[1].b");
  expect(find(atOnce, turns, "each[0].b")).toBeUndefined();
});
