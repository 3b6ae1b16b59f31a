import {
  compilePlan,
  type ExecutionPlan,
  nodeTypesOf,
  planOfTrigger,
  planOfVersion,
} from "#domains/workflows/index.ts";
import type { PlatformServices } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { TestRun } from "./run-context.ts";

/** Returns the execution plan from the version or the tested definition. */
export async function planOfRun(
  source: { readonly tx: Tx; readonly services: PlatformServices },
  run: {
    readonly versionId: string;
    readonly testRun: TestRun | null;
    readonly trigger: Readonly<Record<string, unknown>>;
  },
): Promise<ExecutionPlan | undefined> {
  const { definition } = run.testRun ?? {};
  const plan = definition
    ? compilePlan(definition, nodeTypesOf(source.services))
    : (await planOfVersion(source, run.versionId))?.plan;
  return plan && planOfTrigger(plan, run.trigger);
}
