import { describe, expect, test } from "vitest";
import { resetFrom, resetLoop } from "./index.ts";
import { graphOf, journalOf, loopNode, planOf } from "./testing/notation.ts";

const plan = planOf(
  ["first", loopNode("each", graphOf(["get", "put"], "get -> put")), "last", "side"],
  "first -> each",
  "each -> last",
);
const failed = journalOf({
  first: "completed",
  side: "cancelled",
  each: { status: "failed", items: 3, attempts: 2, error: { code: "x", message: "y" } },
  "each[0].get": "completed",
  "each[0].put": "completed",
  "each[1].get": "completed",
  "each[1].put": "failed",
  "each[2].get": "cancelled",
});
const completed = journalOf({
  first: "completed",
  side: "completed",
  last: "completed",
  each: { status: "completed", items: 2, output: [1, 2] },
  "each[0].get": "completed",
  "each[0].put": "completed",
  "each[1].get": "completed",
  "each[1].put": "completed",
});
const reopened = { path: "each", node: "each", status: "running", attempts: 1 };

describe("resetFrom", () => {
  test("the failure forgets what failed or was cancelled, and opens the loop again", () => {
    expect(resetFrom(plan, failed, "failed")).toEqual({
      forget: ["side", "each[1].put", "each[2].get"],
      reopen: [{ ...reopened, items: 3 }],
    });
  });

  test("the start forgets everything", () => {
    expect(resetFrom(plan, failed, "start")).toEqual({ forget: [...failed.keys()], reopen: [] });
  });

  test("a step forgets it and what follows, the iterations of loops included", () => {
    const forget = ["last", "each", ...[...completed.keys()].filter((path) => path.includes("["))];
    expect(resetFrom(plan, completed, "each")).toEqual({ forget, reopen: [] });
    expect(resetFrom(plan, completed, "first")).toEqual({
      forget: ["first", ...forget],
      reopen: [],
    });
    expect(resetFrom(plan, completed, "last")).toEqual({ forget: ["last"], reopen: [] });
  });

  test("a step forgets what failed as well: the run could not go on with it", () => {
    expect(resetFrom(plan, failed, "side")?.forget).toContain("each[1].put");
  });

  test("a step in a loop is done again in its own iteration, and what follows the loop", () => {
    expect(resetFrom(plan, completed, "each[1].put")).toEqual({
      forget: ["last", "each[1].put"],
      reopen: [{ ...reopened, items: 2 }],
    });
  });

  test("there must be such a step", () => {
    for (const path of ["nobody", "each[1].nobody", "first[0].get", "", "each[", "put"]) {
      expect(resetFrom(plan, completed, path)).toBeUndefined();
    }
  });

  test("failures that were handled stay as they are", () => {
    const handling = planOf(
      [
        { id: "call", type: "http", onError: "branch" },
        "mend",
        loopNode("each", graphOf(["get"]), { onError: "continue" }),
        "end",
      ],
      "call -> mend: error",
      "mend -> end",
      "each -> end",
    );
    const steps = journalOf({
      call: { status: "failed", branch: "error" },
      mend: "completed",
      each: { status: "completed", items: 1, error: { code: "x", message: "y" }, output: null },
      "each[0].get": "failed",
      end: "failed",
    });
    expect(resetFrom(handling, steps, "failed")).toEqual({ forget: ["end"], reopen: [] });
  });
});

describe("resetLoop", () => {
  test("the next attempt keeps the iterations that completed", () => {
    expect(resetLoop(plan, failed, "each")).toEqual({
      forget: ["each[1].put", "each[2].get"],
      reopen: [{ ...reopened, items: 3, attempts: 3 }],
    });
  });

  test("a loop whose items were never evaluated starts over", () => {
    const steps = journalOf({ first: "completed", each: { status: "waiting", retryAtMs: 1 } });
    expect(resetLoop(plan, steps, "each")).toEqual({ forget: ["each"], reopen: [] });
  });
});
