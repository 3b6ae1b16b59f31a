import { expect, test } from "vitest";
import { applyEdit, applyProblemTransition, type Problem, problemMachine } from "./problem.ts";

const AT = "2026-03-04T05:06:07.000Z";
const now = { at: AT };
const problem: Problem = {
  id: "prb_01jzt3n5k8q2x4v6w8y0z2b4d6",
  number: "PRB0000001",
  state: "open",
  title: "It stops",
  description: "",
  priority: 3,
  assigneeId: null,
  teamId: null,
  ciIds: [],
  rootCause: "Dust",
  workaround: "Blow",
  resolution: null,
  knownErrorAt: null,
  resolvedAt: null,
  closedAt: null,
  createdBy: "usr_1",
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  revision: 4,
};
const ACTIONS = ["investigate", "declare_known_error", "resolve", "close", "reopen"] as const;

/** The target state of each action by state. All other transitions are invalid. */
const TRANSITIONS: Record<string, Record<string, string>> = {
  open: { investigate: "investigating", declare_known_error: "known_error", resolve: "resolved" },
  investigating: { declare_known_error: "known_error", resolve: "resolved" },
  known_error: { resolve: "resolved" },
  resolved: { close: "closed", reopen: "investigating" },
  closed: { reopen: "investigating" },
};

test("each action is a transition of the table, and fails in every other state", () => {
  for (const state of problemMachine.states) {
    for (const action of ACTIONS) {
      const to = TRANSITIONS[state]?.[action];
      const act = () => applyProblemTransition({ ...problem, state }, action, now);
      if (to !== undefined) {
        expect(act(), `${state} ${action}`).toMatchObject({
          state: to,
        });
        continue;
      }
      expect(act, `${state} ${action}`).toThrow(
        expect.objectContaining({
          type: expect.objectContaining({ code: "problem_wrong_state", status: 409 }),
          particulars: expect.objectContaining({
            extra: { state, allowed: Object.keys(TRANSITIONS[state] ?? {}) },
          }),
        }),
      );
    }
  }
});

test("a known error requires and keeps a cause and a workaround", () => {
  const bare = { ...problem, rootCause: null, workaround: null };
  const failureWithPaths = (...paths: string[]) =>
    expect.objectContaining({
      particulars: expect.objectContaining({
        errors: paths.map((path) => ({ path, message: "is required for a known error" })),
      }),
    });
  const declare = "declare_known_error";
  expect(() => applyProblemTransition(bare, declare, now)).toThrow(
    failureWithPaths("/rootCause", "/workaround"),
  );
  expect(() => applyProblemTransition(bare, declare, now, { rootCause: "Dust" })).toThrow(
    failureWithPaths("/workaround"),
  );
  const known = applyProblemTransition(bare, declare, now, {
    rootCause: "Dust",
    workaround: "Blow",
  });
  expect(known).toMatchObject({
    rootCause: "Dust",
    workaround: "Blow",
    knownErrorAt: AT,
  });
  expect(() => applyEdit(known, { workaround: null })).toThrow(failureWithPaths("/workaround"));
  expect(applyEdit(known, { workaround: "Wipe" })).toMatchObject({ workaround: "Wipe" });
});

test("a reopened problem is neither resolved nor a known error", () => {
  const closed = applyProblemTransition(
    applyProblemTransition(problem, "resolve", now, { resolution: "A filter" }),
    "close",
    now,
  );
  expect(closed).toMatchObject({ resolution: "A filter", resolvedAt: AT });
  expect(applyProblemTransition(closed, "reopen", now)).toMatchObject({
    state: "investigating",
    resolution: null,
    knownErrorAt: null,
    resolvedAt: null,
    closedAt: null,
    rootCause: "Dust",
    workaround: "Blow",
  });
});

test("an edit that changes nothing returns the same problem", () => {
  expect(applyEdit(problem, { title: "It stops", ciIds: [] })).toBe(problem);
  expect(applyEdit(problem, { title: "It halts" })).toMatchObject({
    title: "It halts",
  });
});
