import {
  compilePlan,
  type ExecutionPlan,
  nodeTypesOf,
  planOfVersion,
} from "#domains/workflows/index.ts";
import type { PlatformServices } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { TestRun } from "./run-context.ts";

/** The execution plan of a run: of its version, or of the definition that it tested. */
export async function planOfRun(
  source: { readonly tx: Tx; readonly services: PlatformServices },
  run: { readonly versionId: string; readonly testRun: TestRun | null },
): Promise<ExecutionPlan | undefined> {
  const { definition } = run.testRun ?? {};
  if (definition) return compilePlan(definition, nodeTypesOf(source.services));
  return (await planOfVersion(source, run.versionId))?.plan;
}
