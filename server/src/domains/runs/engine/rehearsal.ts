import type { PlannedNode } from "#domains/workflows/index.ts";
import type { TestRun } from "./facts.ts";
import type { Attempted } from "./stepping.ts";

/** Whether a test run only pretends to carry out a step: what reaches outside or waits, or is mocked. */
export function isRehearsed({ mocks }: TestRun, { id, type }: PlannedNode): boolean {
  return type.effect !== "pure" || Object.hasOwn(mocks, id);
}

/** What the test says comes of it, or nothing. A branch follows from the mocked output. */
export function rehearse({ mocks }: TestRun, { id, type }: PlannedNode, at: string): Attempted {
  const output = Object.hasOwn(mocks, id) ? mocks[id] : null;
  const logs = [{ at, level: "info" as const, message: "Not carried out, since this is a test." }];
  if (type.iterates && Array.isArray(output)) {
    return { input: { items: output }, logs, result: { items: output } };
  }
  if (type.branches === "none") return { logs, result: { output } };
  return { logs, result: { output, branch: branchOf(type.effect, output) } };
}

function branchOf(effect: PlannedNode["type"]["effect"], output: unknown): string {
  if (effect === "pure") return String(output);
  const { approved = true } = (output ?? {}) as { approved?: boolean };
  return approved ? "approved" : "rejected";
}
