/** Steps that run only if an item arrives. */
import type { Node } from "../../definition/index.ts";
import { type ConvertedNode, listScript, type NodeContext } from "../conversion.ts";

/** A guard before a step that must not run without items. */
export function guardSteps(ctx: NodeContext, steps: readonly Node[]): ConvertedNode {
  const { id } = ctx;
  const items = listScript(ctx, `${id}_items`, "return list;");
  const guard: Node = {
    id: `${id}_if`,
    type: "condition",
    config: { expression: `$count(steps.${id}_items.output) > 0` },
  };
  const all = [items, guard, ...steps];
  const edges = all.slice(1).map((step, at) => ({
    from: all[at]?.id ?? "",
    to: step.id,
    ...(at === 1 && { when: "true" }),
  }));
  return { steps: all, edges };
}
