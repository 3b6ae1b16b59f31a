import Type from "typebox";
import { TransformerUse } from "#domains/transformer/index.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { placeFields } from "./preview-scope.ts";
import { Preview, PreviewInput, previewTexts } from "./preview.ts";
import { listVisibleNames, VisibleNames } from "./visible-names.ts";

const WHERE =
  "The place is a step of a workflow, of a definition that is not saved, or none. Values are those of " +
  "`runId`, else the pinned ones; `item` and `values` in the request count before them. For a run one " +
  "must be allowed to see what its steps read and wrote.";

export const previewExpressions = query({
  id: "expressions.preview",
  route: "POST /api/v1/expressions/preview",
  summary: "Evaluate expressions and templates as a step would",
  description:
    `Each text is an \`expression\` or a \`template\`; an error is part of the answer, with its position ` +
    `in the text. ${WHERE} Secrets are never read: \`[secret NAME]\` stands for one. A value that is ` +
    "longer than 16,384 characters of JSON is cut. All texts together have two seconds.",
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
  summary: "List what an expression at some place can name",
  description:
    "The items of the loops around it, the trigger, the steps before it, nearest first, each with the " +
    `JSON Schema of its value and a sample, and the functions. ${WHERE}`,
  permission: TransformerUse,
  body: object(placeFields),
  response: item(VisibleNames),
  example: { body: { workflowId: "wf_01jd0000000000000000000000", stepId: "each.call" } },
  prepare: (platform, { body }, caller) => listVisibleNames(platform, caller, body),
  run: async (_ctx, _input, names) => names,
});
