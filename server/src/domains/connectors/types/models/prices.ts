import Type, { type Static } from "typebox";
import { line, object } from "#kernel/schema/schema.ts";
import type { ChatAnswer, RawAnswer } from "./chat.ts";

const PerMillion = (description: string) =>
  Type.Number({ minimum: 0, maximum: 1_000_000, description });

/** The prices of models, for limits and traces. */
export const Prices = Type.Array(
  object({
    model: line(300, "Name of a model, or a prefix with `*` at the end"),
    input: PerMillion("US dollars for a million tokens of input"),
    output: PerMillion("US dollars for a million tokens of output"),
    cached: Type.Optional(PerMillion("US dollars for a million tokens from the cache")),
  }),
  {
    maxItems: 200,
    description:
      "Prices of models, which providers change. Without them, the cost is the one that the provider returns",
  },
);
export type Prices = Static<typeof Prices>;

const MILLION = 1_000_000;

/** Adds the cost to a response: reported by the service, or computed from the connector's prices. */
export function withCost(answer: RawAnswer, model: string, prices: Prices = []): ChatAnswer {
  return { ...answer, cost: answer.cost ?? findCost(answer, model, prices) };
}

function findCost({ usage }: RawAnswer, model: string, prices: Prices): number | null {
  const price = prices.find((one) =>
    one.model.endsWith("*") ? model.startsWith(one.model.slice(0, -1)) : model === one.model,
  );
  if (!price) return null;
  const { inputTokens, outputTokens, cachedTokens } = usage;
  const fresh = Math.max(0, inputTokens - cachedTokens);
  const cached = cachedTokens * (price.cached ?? price.input);
  return (fresh * price.input + cached + outputTokens * price.output) / MILLION;
}
