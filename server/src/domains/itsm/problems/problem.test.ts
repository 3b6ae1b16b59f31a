import { expect, test } from "vitest";
import { acted, edited, type Problem, problemMachine } from "./problem.ts";

const NOW = new Date("2026-03-04T05:06:07.000Z");
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

/** Where each action leads from each state; what is not here leads nowhere. */
const WAYS: Record<string, Record<string, string>> = {
  open: { investigate: "investigating", declare_known_error: "known_error", resolve: "resolved" },
  investigating: { declare_known_error: "known_error", resolve: "resolved" },
  known_error: { resolve: "resolved" },
  resolved: { close: "closed", reopen: "investigating" },
  closed: { reopen: "investigating" },
};

test("each action leads where the table says, and is refused everywhere else", () => {
  for (const state of problemMachine.states) {
    for (const action of ACTIONS) {
      const to = WAYS[state]?.[action];
      const act = () => acted({ ...problem, state }, action, {}, NOW);
      if (to !== undefined) {
        expect(act(), `${state} ${action}`).toMatchObject({
          state: to,
          revision: 5,
          updatedAt: NOW.toISOString(),
        });
        continue;
      }
      expect(act, `${state} ${action}`).toThrow(
        expect.objectContaining({
          type: expect.objectContaining({ code: "problem_wrong_state", status: 409 }),
          particulars: expect.objectContaining({
            extra: { state, allowed: Object.keys(WAYS[state] ?? {}) },
          }),
        }),
      );
    }
  }
});

test("a known error has a cause and a workaround, and keeps them", () => {
  const bare = { ...problem, rootCause: null, workaround: null };
  const wanting = (...paths: string[]) =>
    expect.objectContaining({
      particulars: expect.objectContaining({
        errors: paths.map((path) => ({ path, message: "is required of a known error" })),
      }),
    });
  const declare = "declare_known_error";
  expect(() => acted(bare, declare, {}, NOW)).toThrow(wanting("/rootCause", "/workaround"));
  expect(() => acted(bare, declare, { rootCause: "Dust" }, NOW)).toThrow(wanting("/workaround"));
  const known = acted(bare, declare, { rootCause: "Dust", workaround: "Blow" }, NOW);
  expect(known).toMatchObject({
    rootCause: "Dust",
    workaround: "Blow",
    knownErrorAt: NOW.toISOString(),
  });
  expect(() => edited(known, { workaround: null }, NOW)).toThrow(wanting("/workaround"));
  expect(edited(known, { workaround: "Wipe" }, NOW)).toMatchObject({ workaround: "Wipe" });
});

test("a problem that is reopened has neither ended nor been a known error", () => {
  const closed = acted(
    acted(problem, "resolve", { resolution: "A filter" }, NOW),
    "close",
    {},
    NOW,
  );
  expect(closed).toMatchObject({ resolution: "A filter", resolvedAt: NOW.toISOString() });
  expect(acted(closed, "reopen", {}, NOW)).toMatchObject({
    state: "investigating",
    resolution: null,
    knownErrorAt: null,
    resolvedAt: null,
    closedAt: null,
    rootCause: "Dust",
    workaround: "Blow",
  });
});

test("an edit that changes nothing leaves the very same problem", () => {
  expect(edited(problem, { title: "It stops", ciIds: [] }, NOW)).toBe(problem);
  expect(edited(problem, { title: "It halts" }, NOW)).toMatchObject({
    title: "It halts",
    revision: 5,
  });
});
