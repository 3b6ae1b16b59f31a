/** Nodes that ask a model for the class of each item, and route the item by its class. */
import { toCode } from "../code-text.ts";
import {
  type Convert,
  type ConvertedNode,
  type NodeContext,
  type NodeTable,
  NotConvertible,
} from "../conversion.ts";
import { type JsonObject, toList, toObject, toText } from "../n8n-workflow.ts";
import { askForEach } from "./model-nodes.ts";
import { convertModel } from "./model-part.ts";

/** Steps that ask for a class per item, and route the items. */
function classify(
  ctx: NodeContext,
  {
    text,
    system,
    schema,
    outputs,
    choose,
  }: {
    readonly text: string;
    readonly system: string;
    readonly schema: JsonObject;
    readonly outputs: number;
    /** Code of the output numbers; `one` is the response. */
    readonly choose: string;
  },
  item = "asked.given.item",
): ConvertedNode {
  const model = convertModel(ctx);
  const lists = Array.from({ length: outputs }, (_, at) => `o${at}: []`).join(", ");
  const made = askForEach(ctx, {
    type: "llm",
    args: { prompt: text, system, ...model.args },
    given: { item: "$item" },
    config: { ...model.config, prompt: "{{ item.prompt }}", system: "{{ item.system }}", schema },
    each: "[]",
    approximations: model.approximations,
  });
  const source = `const outputs = { ${lists} };
for (const [at, one] of input.steps.${ctx.id}_call.output.entries()) {
  const asked = input.steps.${ctx.id}_args.output[at];
  if (one !== null) for (const to of ${choose}) outputs["o" + to]?.push(${item});
}
return outputs;`;
  return {
    ...made,
    steps: made.steps.map((step) => (step.id === ctx.id ? { ...step, config: { source } } : step)),
  };
}

const CLASSIFY =
  "Please classify the text provided by the user into one of the following categories: {categories}. Respond with the category only.";

const textClassifier: Convert = (ctx) => {
  const { parameters } = ctx.node;
  const { inputText = "", categories, options } = parameters;
  const { multiClass, fallback = "discard", systemPromptTemplate } = toObject(options);
  const all = toList(toObject(categories)["categories"]).map((one) => {
    const { category, description } = toObject(one);
    return { category: toText(category), description: toText(description) };
  });
  if (all.length === 0) throw new NotConvertible("has no categories");
  if (all.some(({ category }) => category.startsWith("=")))
    throw new NotConvertible("uses an expression for a category");
  const names = all.map(({ category }) => category);
  const isOther = fallback === "other";
  const allowed = isOther ? [...names, "other"] : names;
  const list = all
    .map(({ category, description }) =>
      description === "" ? category : `${category}: ${description}`,
    )
    .join("\n");
  const given = typeof systemPromptTemplate === "string" ? systemPromptTemplate : CLASSIFY;
  const system = given.startsWith("=") ? given : given.replaceAll("{categories}", names.join(", "));
  const choice = { type: "string", enum: allowed };
  const schema = {
    type: "object",
    properties: {
      categories:
        multiClass === true
          ? { type: "array", items: choice }
          : { type: "array", items: choice, minItems: 1, maxItems: 1 },
    },
    required: ["categories"],
  };
  return classify(ctx, {
    text: toCode(inputText),
    system: `[${toCode(system)}, ${JSON.stringify(list)}].join("\\n\\n")`,
    schema,
    outputs: allowed.length,
    choose: `one.object.categories.map((name) => ${JSON.stringify(allowed)}.indexOf(name))`,
  });
};

const sentimentAnalysis: Convert = (ctx) => {
  const { inputText = "", options } = ctx.node.parameters;
  const {
    categories = "Positive, Neutral, Negative",
    systemPromptTemplate,
    includeDetailedResults,
  } = toObject(options);
  const text = toText(categories);
  if (text.startsWith("=")) throw new NotConvertible("uses an expression for a category");
  const names = text.split(",").map((one) => one.trim());
  const detailed = includeDetailedResults === true;
  const number = { type: "number", description: "Between 0 and 1" };
  const system =
    typeof systemPromptTemplate === "string" && !systemPromptTemplate.startsWith("=")
      ? systemPromptTemplate.replaceAll("{categories}", names.join(", "))
      : `Analyze the sentiment of the text and choose one of these categories: ${names.join(", ")}.`;
  return classify(
    ctx,
    {
      text: toCode(inputText),
      system: toCode(system),
      schema: {
        type: "object",
        properties: {
          sentiment: { type: "string", enum: names },
          ...(detailed && { strength: number, confidence: number }),
        },
        required: ["sentiment", ...(detailed ? ["strength", "confidence"] : [])],
      },
      outputs: names.length,
      choose: `[${JSON.stringify(names)}.indexOf(one.object.sentiment)]`,
    },
    `{ ...asked.given.item, sentimentAnalysis: { category: one.object.sentiment${detailed ? ", strength: one.object.strength, confidence: one.object.confidence" : ""} } }`,
  );
};

export const classifierNodes: NodeTable = {
  "lc.textClassifier": textClassifier,
  "lc.sentimentAnalysis": sentimentAnalysis,
};
