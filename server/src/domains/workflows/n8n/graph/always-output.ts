import type { ConvertedNode, NodeContext } from "../conversion.ts";

/** The node with an empty item where it would give none, as its option says; undefined where no script gives its items. */
export function alwaysGive(
  { id, sources }: NodeContext,
  made: ConvertedNode,
): ConvertedNode | undefined {
  const last = made.steps.find((step) => step.id === id);
  const { source } = Object(last?.config) as { readonly source?: unknown };
  if (last?.type !== "script" || typeof source !== "string") return undefined;
  const from = JSON.stringify(sources);
  const whole = `return n8n.always(await (async () => {\n${source}\n})(), input, ${from});`;
  const steps = made.steps.map((step) =>
    step === last ? { ...step, config: { ...Object(step.config), source: whole } } : step,
  );
  return { ...made, steps };
}
