import { domain } from "#kernel/domain.ts";
import { evaluateExpression } from "./operations.ts";
import { TransformerUse } from "./evaluate.ts";

export { TransformerUse } from "./evaluate.ts";

export const transformer = domain({
  name: "transformer",
  summary: "Evaluation of expressions.",
  environmentScoped: false,
  permissions: [TransformerUse],
  events: [],
  operations: [evaluateExpression],
});
