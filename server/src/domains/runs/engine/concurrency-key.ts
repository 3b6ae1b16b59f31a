import type { Definition } from "#domains/workflows/index.ts";
import type { Outside } from "#kernel/access/caller.ts";
import { ExpressionFailure } from "#kernel/expression/expression-failure.ts";
import { compileTemplate } from "#kernel/expression/template.ts";
import type { RunFacts } from "./run-context.ts";

const KEY_CHARACTERS_MAX = 200;
const UNEVALUABLE = "(unevaluable)";

/**
 * What runs that exclude each other have in common. Those whose key can't be evaluated exclude each
 * other; an evaluation that may succeed later throws.
 */
export async function concurrencyKeyOf(
  outside: Outside,
  { trigger, environment, workspace }: RunFacts,
  concurrencyKey: NonNullable<Definition["concurrencyKey"]>,
): Promise<string> {
  const evaluation = {
    pool: outside.expressions,
    key: workspace,
    nowMs: outside.clock.nowMs(),
  };
  try {
    const template = compileTemplate(concurrencyKey);
    const value: unknown = await template.evaluate({ trigger, environment }, evaluation);
    const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
    return text.slice(0, KEY_CHARACTERS_MAX);
  } catch (error) {
    if (error instanceof ExpressionFailure && error.code !== "busy") return UNEVALUABLE;
    throw error;
  }
}
