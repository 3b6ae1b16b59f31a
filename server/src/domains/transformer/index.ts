import { domain } from "#kernel/domain.ts";
import { evaluateExpression } from "./operations.ts";
import { TransformerUse } from "./evaluate.ts";

export { TransformerUse } from "./evaluate.ts";

export const transformer = domain({
  name: "transformer",
  summary: "Expressions, evaluated for whoever asks.",
  environmentScoped: false,
  permissions: [TransformerUse],
  events: [],
  operations: [evaluateExpression],
});
