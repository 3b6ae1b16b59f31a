import Type from "typebox";
import { EXPRESSION_CHARACTERS_MAX } from "#kernel/expression/parse.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { evaluate, ExpressionFailed, ExpressionTimedOut, ExpressionTooLarge } from "./evaluate.ts";
import { TransformerUse } from "./evaluate.ts";

const BINDINGS_MAX = 100;

const Bindings = Type.Record(Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_]*$" }), Type.Unknown(), {
  maxProperties: BINDINGS_MAX,
  additionalProperties: false,
  description: "Values of variables: `rate` is `$rate`",
});

const Result = Type.Object(
  { result: Type.Unknown({ description: "Null if the expression has no value" }) },
  { title: "Evaluation" },
);

export const evaluateExpression = query({
  id: "transformer.evaluate",
  route: "POST /api/v1/transformer/evaluate",
  summary: "Evaluate a JSONata expression",
  description:
    "Evaluates the expression with `input`, isolated from other requests. For an error, `errors` contains the `position` in the expression. Time limit: one second. `$now()` is the time of the request. `$eval` is not available.",
  permission: TransformerUse,
  body: object({
    expression: line(EXPRESSION_CHARACTERS_MAX),
    input: Type.Optional(Type.Unknown()),
    bindings: Type.Optional(Bindings),
  }),
  response: item(Result),
  fails: [ExpressionFailed, ExpressionTimedOut, ExpressionTooLarge],
  example: {
    body: {
      expression: "$sum(lines.(price * quantity)) * $rate",
      input: { lines: [{ price: 3, quantity: 2 }] },
      bindings: { rate: 1.19 },
    },
  },
  prepare: (platform, { body }, caller) => evaluate(platform, caller, body),
  run: async (_ctx, _input, result) => ({ result }),
});
