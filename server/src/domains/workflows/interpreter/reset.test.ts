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
  test("a reset from the failure drops failed and cancelled steps, and reopens the loop", () => {
    expect(resetFrom(plan, failed, "failed")).toEqual({
      forget: ["side", "each[1].put", "each[2].get"],
      reopen: [{ ...reopened, items: 3 }],
    });
  });

  test("a reset from the start drops all records", () => {
    expect(resetFrom(plan, failed, "start")).toEqual({ forget: [...failed.keys()], reopen: [] });
  });

  test("a reset from a step drops the step and its successors, including loop iterations", () => {
    const forget = ["last", "each", ...[...completed.keys()].filter((path) => path.includes("["))];
    expect(resetFrom(plan, completed, "each")).toEqual({ forget, reopen: [] });
    expect(resetFrom(plan, completed, "first")).toEqual({
      forget: ["first", ...forget],
      reopen: [],
    });
    expect(resetFrom(plan, completed, "last")).toEqual({ forget: ["last"], reopen: [] });
  });

  test("a reset from a step also drops failed steps, which would block the run", () => {
    expect(resetFrom(plan, failed, "side")?.forget).toContain("each[1].put");
  });

  test("a step in a loop is repeated in its own iteration, with the successors of the loop", () => {
    expect(resetFrom(plan, completed, "each[1].put")).toEqual({
      forget: ["last", "each[1].put"],
      reopen: [{ ...reopened, items: 2 }],
    });
  });

  test("the step must exist", () => {
    for (const path of ["nobody", "each[1].nobody", "first[0].get", "", "each[", "put"]) {
      expect(resetFrom(plan, completed, path)).toBeUndefined();
    }
  });

  test("handled failures are kept", () => {
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
  test("the next attempt keeps completed iterations", () => {
    expect(resetLoop(plan, failed, "each")).toEqual({
      forget: ["each[1].put", "each[2].get"],
      reopen: [{ ...reopened, items: 3, attempts: 3 }],
    });
  });

  test("a loop without evaluated items starts again", () => {
    const steps = journalOf({ first: "completed", each: { status: "waiting", retryAtMs: 1 } });
    expect(resetLoop(plan, steps, "each")).toEqual({ forget: ["each"], reopen: [] });
  });
});
