import { branchLabels, type PlanNode } from "#domains/workflows/index.ts";
import type { TestRun } from "../engine/run-context.ts";
import type { StepAttemptResult } from "./execute-step.ts";

/** True for a step that a test run does not execute: it reaches outside, waits, or has a mock. */
export function isMocked({ mocks }: TestRun, { id, type }: PlanNode): boolean {
  return type.effect !== "pure" || Object.hasOwn(mocks, id);
}

/** The mocked output, or null; the branch follows from it. */
export function mockStep({ mocks }: TestRun, node: PlanNode, at: string): StepAttemptResult {
  const { id, type } = node;
  const output = Object.hasOwn(mocks, id) ? mocks[id] : null;
  const logs = [{ at, level: "info" as const, message: "Not carried out, since this is a test." }];
  if (type.iterates && Array.isArray(output)) {
    return { input: { items: output }, logs, result: { items: output } };
  }
  if (type.branches === "none") return { logs, result: { output } };
  return { logs, result: { output, branch: mockedBranch(node, output) } };
}

function mockedBranch({ type, config }: PlanNode, output: unknown): string {
  if (type.effect === "pure") {
    const branches = branchLabels(type, config);
    const text = typeof output === "string" ? output : JSON.stringify(output);
    if (branches.includes(text)) return text;
    return branches.includes("default") ? "default" : String(Boolean(output));
  }
  const { approved = true } = (output ?? {}) as { approved?: boolean };
  return approved ? "approved" : "rejected";
}
