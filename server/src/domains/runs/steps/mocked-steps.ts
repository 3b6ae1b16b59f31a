import { branchesOf, type PlanNode } from "#domains/workflows/index.ts";
import type { TestRun } from "../engine/run-context.ts";
import type { StepAttemptResult } from "./execute-step.ts";

/** Whether a test run only pretends to carry out a step: what reaches outside or waits, or is mocked. */
export function isMocked({ mocks }: TestRun, { id, type }: PlanNode): boolean {
  return type.effect !== "pure" || Object.hasOwn(mocks, id);
}

/** What the test says comes of it, or nothing. A branch follows from the mocked output. */
export function mockStep({ mocks }: TestRun, node: PlanNode, at: string): StepAttemptResult {
  const { id, type } = node;
  const output = Object.hasOwn(mocks, id) ? mocks[id] : null;
  const logs = [{ at, level: "info" as const, message: "Not carried out, since this is a test." }];
  if (type.iterates && Array.isArray(output)) {
    return { input: { items: output }, logs, result: { items: output } };
  }
  if (type.branches === "none") return { logs, result: { output } };
  return { logs, result: { output, branch: branchOf(node, output) } };
}

function branchOf({ type, config }: PlanNode, output: unknown): string {
  if (type.effect === "pure") {
    const branches = branchesOf(type, config);
    const text = typeof output === "string" ? output : JSON.stringify(output);
    if (branches.includes(text)) return text;
    return branches.includes("default") ? "default" : String(Boolean(output));
  }
  const { approved = true } = (output ?? {}) as { approved?: boolean };
  return approved ? "approved" : "rejected";
}
