import Type from "typebox";
import { TransformerUse } from "#domains/transformer/index.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { placeFields } from "./preview-scope.ts";
import { Preview, PreviewInput, previewTexts } from "./preview.ts";
import { listVisibleNames, VisibleNames } from "./visible-names.ts";

const WHERE =
  "The context is a step of a workflow or of an unsaved definition. The context is optional. Values come from `runId`, otherwise from the pinned data; `item` and `values` of the request take precedence. Using a run requires permission to view the input and output of its steps.";

export const previewExpressions = query({
  id: "expressions.preview",
  route: "POST /api/v1/expressions/preview",
  summary: "Evaluate expressions and templates",
  description: `Each text is an \`expression\` or a \`template\`. The response contains errors with their positions. ${WHERE} Secrets are never read: \`[secret NAME]\` replaces a secret. Values with more than 16,384 characters of JSON are truncated. The time limit for all texts is two seconds.`,
  permission: TransformerUse,
  body: PreviewInput,
  response: item(Type.Object({ previews: Type.Array(Preview) }, { title: "ExpressionPreviews" })),
  example: {
    body: {
      texts: [
        { expression: "trigger.input.total > 100" },
        { template: "Order {{ trigger.input.id }} of {{ workspace.name }}" },
      ],
      values: { trigger: { input: { id: 4711, total: 250 } } },
    },
  },
  prepare: (platform, { body }, caller) => previewTexts(platform, caller, body),
  run: async (_ctx, _input, previews) => ({ previews }),
});

export const getExpressionScope = query({
  id: "expressions.scope",
  route: "POST /api/v1/expressions/scope",
  summary: "List available names for an expression",
  description: `Returns the items of enclosing loops, the trigger and the previous steps, nearest first, each with the JSON Schema of its value and a sample, and the functions. ${WHERE}`,
  permission: TransformerUse,
  body: object(placeFields),
  response: item(VisibleNames),
  example: { body: { workflowId: "wf_01jd0000000000000000000000", stepId: "each.call" } },
  prepare: (platform, { body }, caller) => listVisibleNames(platform, caller, body),
  run: async (_ctx, _input, names) => names,
});
