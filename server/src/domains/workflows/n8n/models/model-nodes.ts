/** n8n model nodes: agents, chains, extractors and OpenAI messages. */
import { toCode } from "../code-text.ts";
import {
  assertSupported,
  type Convert,
  type ConvertedNode,
  type NodeContext,
  type NodeTable,
  NotConvertible,
  outsideSteps,
} from "../conversion.ts";
import { type Json, type JsonObject, toList, toObject, toText } from "../n8n-workflow.ts";
import { flattenCode } from "../nodes/outside-nodes.ts";
import { convertTools } from "./agent-tool.ts";
import {
  convertMemory,
  convertModel,
  findAnswerSchema,
  readModelName,
  readSchema,
} from "./model-part.ts";

const TURNS_MAX = 100;

/** The prompt of a node as code: its own text, or the chat message. */
function promptCode({ parameters }: NodeContext["node"]): string {
  const { text, prompt, promptType } = parameters;
  const isOwn = promptType === "define" || (promptType === undefined && text !== undefined);
  return isOwn ? toCode(text ?? "") : toCode(prompt ?? "={{ $json.chatInput }}");
}

/** Creates a model step for every item, with a script for its prompt. */
export function askForEach(
  ctx: NodeContext,
  made: {
    readonly type: "llm" | "agent";
    readonly args: Readonly<Record<string, string>>;
    readonly config: JsonObject;
    readonly each: string;
    /** Item fields used by tools and files, unchanged. */
    readonly given?: Readonly<Record<string, string>>;
    readonly approximations: readonly string[];
  },
): ConvertedNode {
  const { parameters } = ctx.node;
  assertSupported(parameters);
  const given = Object.entries(made.given ?? {}).map(([name, code]) => `${name}: ${code}`);
  const fields = [
    ...Object.entries(made.args).map(([name, code]) => `${name}: n8n.text(${code})`),
    ...(given.length === 0 ? [] : [`given: { ${given.join(", ")} }`]),
  ];
  const step = { type: made.type, config: { ...made.config } };
  const converted = outsideSteps(
    ctx,
    { args: `{ ${fields.join(", ")} }`, step, flatten: flattenCode(ctx, made.each) },
    [parameters, fields],
  );
  return {
    ...converted,
    approximations: [...(converted.approximations ?? []), ...made.approximations],
  };
}

const agent: Convert = (ctx) => {
  const { node, parts } = ctx;
  const options = toObject(node.parameters["options"]);
  const model = convertModel(ctx);
  const { tools, servers, given, approximations } = convertTools(ctx);
  const memory = convertMemory(parts);
  const schema = findAnswerSchema(parts);
  const system = options["systemMessage"];
  const { maxIterations } = options;
  return askForEach(ctx, {
    type: "agent",
    args: {
      prompt: promptCode(node),
      ...(system !== undefined && { system: toCode(system) }),
      ...(memory && { key: memory.key }),
      ...model.args,
    },
    config: {
      ...model.config,
      prompt: "{{ item.prompt }}",
      ...(system !== undefined && { instructions: "{{ item.system }}" }),
      ...(tools.length > 0 && { tools }),
      ...(servers.length > 0 && { mcp: servers }),
      ...(memory && { memory: { key: "{{ item.key }}", window: memory.window } }),
      ...(schema && { schema }),
      ...(typeof maxIterations === "number" && {
        maxTurns: Math.min(TURNS_MAX, Math.max(1, Math.round(maxIterations))),
      }),
    },
    given,
    each: schema ? "[{ output: one.object }]" : "[{ output: one.text }]",
    approximations: [
      ...model.approximations,
      ...(memory?.approximations ?? []),
      ...new Set(approximations),
    ],
  });
};

const chainLlm: Convert = (ctx) => {
  const { node, parts } = ctx;
  const model = convertModel(ctx);
  const schema = findAnswerSchema(parts);
  const messages = toList(toObject(node.parameters["messages"])["messageValues"]).map(toObject);
  const systems = messages.filter(({ type = "SystemMessagePromptTemplate" }) =>
    toText(type).startsWith("System"),
  );
  const others = messages.length - systems.length;
  return askForEach(ctx, {
    type: "llm",
    args: {
      prompt: promptCode(node),
      ...systemArgs(systems.map(({ message }) => message)),
      ...model.args,
    },
    config: {
      ...model.config,
      prompt: "{{ item.prompt }}",
      ...(systems.length > 0 && { system: "{{ item.system }}" }),
      ...(schema && { schema }),
    },
    each: schema ? "[{ output: one.object }]" : "[{ text: one.text }]",
    approximations: [
      ...model.approximations,
      ...(others > 0 ? ["messages with the roles user and assistant are omitted"] : []),
    ],
  });
};

function systemArgs(messages: readonly Json[]): Readonly<Record<string, string>> {
  if (messages.length === 0) return {};
  return { system: `[${messages.map((one) => toCode(one ?? "")).join(", ")}].join("\\n\\n")` };
}

/** Messages to OpenAI. */
export const convertChat: Convert = (ctx) => {
  const { parameters } = ctx.node;
  const { resource = "text", operation = "message", modelId, options, jsonOutput } = parameters;
  const isMessage = resource === "text" && ["message", "response"].includes(toText(operation));
  if (!isMessage)
    throw new NotConvertible(`needs lc.openAi ${String(resource)}.${String(operation)}`);
  const name = readModelName(modelId);
  const isByCode = name?.startsWith("=") === true;
  const values = toList(
    toObject(parameters["messages"])["values"] ?? toObject(parameters["responses"])["values"],
  ).map(toObject);
  const isSystem = ({ role }: JsonObject): boolean => role === "system" || role === "developer";
  const systems = values.filter(isSystem).map(({ content }) => content);
  const asked = values.filter((one) => !isSystem(one)).map(({ content }) => toCode(content ?? ""));
  const { temperature } = toObject(options);
  const { tools, servers, given } = convertTools(ctx);
  const isJson = jsonOutput === true;
  const content = isJson ? "JSON.parse(one.text)" : "one.text";
  const isAgent = tools.length + servers.length > 0;
  return askForEach(ctx, {
    type: isAgent ? "agent" : "llm",
    args: {
      prompt: `[${asked.join(", ")}].join("\\n\\n")`,
      ...systemArgs(systems),
      ...(isByCode && { model: toCode(name) }),
    },
    config: {
      connectorId: ctx.bind("connector", "OpenAI", "OpenAI"),
      model: isByCode ? "{{ item.model }}" : (name ?? "gpt-4.1-mini"),
      prompt: "{{ item.prompt }}",
      ...(systems.length > 0 && { [isAgent ? "instructions" : "system"]: "{{ item.system }}" }),
      ...(isJson && { schema: { type: "object" } }),
      ...(typeof temperature === "number" && { temperature }),
      ...(tools.length > 0 && { tools }),
      ...(servers.length > 0 && { mcp: servers }),
    },
    given,
    each:
      operation === "response"
        ? `[{ output: [{ content: [{ type: "output_text", text: ${content} }] }] }]`
        : `[{ index: 0, message: { role: "assistant", content: ${content} }, finish_reason: "stop" }]`,
    approximations: values.some(({ role }) => role === "assistant")
      ? ["messages of the assistant are part of the prompt"]
      : [],
  });
};

const informationExtractor: Convert = (ctx) => {
  const { parameters } = ctx.node;
  const model = convertModel(ctx);
  const { schemaType = "fromAttributes", options } = parameters;
  const schema =
    schemaType === "fromAttributes" ? attributeSchema(parameters) : readSchema(parameters);
  const system = toObject(options)["systemPromptTemplate"] ?? EXTRACT;
  return askForEach(ctx, {
    type: "llm",
    args: { prompt: toCode(parameters["text"] ?? ""), system: toCode(system), ...model.args },
    config: { ...model.config, prompt: "{{ item.prompt }}", system: "{{ item.system }}", schema },
    each: "[{ output: one.object }]",
    approximations: model.approximations,
  });
};

const EXTRACT =
  "You are an expert extraction algorithm. Only extract relevant information from the text. " +
  "If you do not know the value of an attribute asked to extract, you may omit the attribute's value.";

const ATTRIBUTE_TYPES: ReadonlySet<string> = new Set(["string", "number", "boolean"]);

function attributeSchema(parameters: JsonObject): JsonObject {
  const attributes = toList(toObject(parameters["attributes"])["attributes"]).map(toObject);
  const named = attributes.filter(({ name }) => toText(name) !== "");
  return {
    type: "object",
    properties: Object.fromEntries(
      named.map(({ name, type, description }) => [
        toText(name),
        {
          type: ATTRIBUTE_TYPES.has(toText(type)) ? type : "string",
          ...(toText(description) !== "" && { description }),
        },
      ]),
    ),
    required: named.filter(({ required }) => required === true).map(({ name }) => toText(name)),
  };
}

export const modelNodes: NodeTable = {
  "lc.agent": agent,
  "lc.chainLlm": chainLlm,
  "lc.informationExtractor": informationExtractor,
};
