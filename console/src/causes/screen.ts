/** Returns the page of a node in a trace, if it has one. */
import type { CauseNode } from "./cause-tree.ts";

export function screenOf({ kind, id, resource, runId, stepId }: CauseNode) {
  if (kind === "run") return { to: "/runs/$id", params: { id } } as const;
  if (resource?.type === "run") return { to: "/runs/$id", params: { id: resource.id } } as const;
  if (resource?.type === "workflow") {
    return { to: "/workflows/$id", params: { id: resource.id } } as const;
  }
  if (runId === undefined) return undefined;
  return { to: "/runs/$id", params: { id: runId }, search: { step: stepId } } as const;
}
