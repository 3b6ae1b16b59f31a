/** The names of the steps that created the nodes of a trace. */
import { useQueries } from "@tanstack/react-query";
import { query, type Schemas } from "../data/api.ts";
import { useMay } from "../data/people.ts";
import type { CauseNode } from "./cause-tree.ts";

/** If a trace has more workflows, steps of the others are shown with their ids. */
const WORKFLOWS_MAX = 8;
const KEPT_MS = 600_000;

interface NamedStep {
  readonly id: string;
  readonly name?: string;
  readonly config?: unknown;
}

/** Returns the name of a step in a run; its id if it has no name or belongs to another version. */
export function useStepNames(
  nodes: readonly CauseNode[],
): (runId: string | undefined, stepId: string) => string {
  const mayRead = useMay()("workflows.get");
  const workflows = new Map(
    nodes.flatMap(({ id, kind, ofId }) =>
      kind === "run" && ofId !== undefined ? [[id, ofId]] : [],
    ),
  );
  const ids = [...new Set(workflows.values())].slice(0, mayRead ? WORKFLOWS_MAX : 0);
  const known = useQueries({
    queries: ids.map((id) => ({
      ...query("workflows.get", { params: { id } }),
      staleTime: KEPT_MS,
    })),
    combine: (replies) =>
      new Map(replies.flatMap(({ data }) => (data ? [[data.data.id, data.data.nodes]] : []))),
  });
  return (runId, stepId) =>
    findStepName(known.get(workflows.get(runId ?? "") ?? "") ?? [], stepId) ?? stepId;
}

/** Returns the name of `each[2].call`, for any item. */
export function findStepName(nodes: readonly NamedStep[], stepId: string): string | undefined {
  const [first = "", ...rest] = stepId.replaceAll(/\[\d+\]/g, "").split(".");
  const node = nodes.find(({ id }) => id === first);
  if (!node || rest.length === 0) return node?.name;
  const { body } = (node.config ?? {}) as { readonly body?: Pick<Schemas["Workflow"], "nodes"> };
  return findStepName(body?.nodes ?? [], rest.join("."));
}
