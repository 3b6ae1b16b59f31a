import type { Method, Route } from "#kernel/contract.ts";
import { object } from "#kernel/schema/schema.ts";
import { WorkflowId } from "./workflow.ts";

/** Workflow paths exist in two spellings. */
export function workflowRoutes<M extends Method>(
  method: M,
  path: string,
): { readonly route: Route; readonly aliases: readonly Route[] } {
  return {
    route: `${method} /api/v1/workflows${path}`,
    aliases: [`${method} /api/workflows${path}`],
  };
}

export const ByWorkflow = object({ id: WorkflowId });
export const workflowExample = { params: { id: "wf_01jd0000000000000000000000" } };
