/** The sub-nodes of model nodes: model, output format, memory. */
import { toCode } from "../code-text.ts";
import { type NodeContext, NotConvertible } from "../conversion.ts";
import { type Json, type JsonObject, type NodePart, toObject, toText } from "../n8n-workflow.ts";

/** Model services by n8n node. */
const SERVICES: Readonly<Record<string, { readonly title: string; readonly model: string }>> = {
  "lc.lmChatOpenAi": { title: "OpenAI", model: "gpt-4.1-mini" },
  "lc.lmOpenAi": { title: "OpenAI", model: "gpt-4.1-mini" },
  "lc.lmChatAzureOpenAi": { title: "Azure OpenAI", model: "gpt-4.1-mini" },
  "lc.lmChatOpenRouter": { title: "OpenRouter", model: "openai/gpt-4.1-mini" },
  "lc.lmChatGroq": { title: "Groq", model: "llama-3.3-70b-versatile" },
  "lc.lmChatMistralCloud": { title: "Mistral", model: "mistral-small-latest" },
  "lc.lmChatDeepSeek": { title: "DeepSeek", model: "deepseek-chat" },
  "lc.lmChatXAiGrok": { title: "xAI", model: "grok-3-mini" },
  "lc.lmChatOllama": { title: "Ollama", model: "llama3.2" },
  "lc.lmOllama": { title: "Ollama", model: "llama3.2" },
  "lc.lmChatAnthropic": { title: "Anthropic", model: "claude-sonnet-4-5" },
  "lc.lmChatGoogleVertex": { title: "Google Gemini", model: "gemini-2.5-flash" },
  "lc.lmGoogleGemini": { title: "Google Gemini", model: "gemini-2.5-flash" },
  "lc.lmChatCohere": { title: "Cohere (compatible with OpenAI)", model: "command-r-plus" },
  "lc.lmChatVercelAiGateway": { title: "Vercel AI Gateway", model: "openai/gpt-4.1-mini" },
  "lc.lmChatNvidia": { title: "Nvidia", model: "meta/llama-3.3-70b-instruct" },
  "lc.lmChatGoogleGemini": { title: "Google Gemini", model: "gemini-2.5-flash" },
};

/** The step fields that select the model, and notes about guesses. */
export interface ConvertedModel {
  readonly config: JsonObject;
  /** Code of values computed per item, for example a model name from an expression. */
  readonly args: Readonly<Record<string, string>>;
  readonly approximations: readonly string[];
}

/** The model of a node. With a fallback model, the first one. */
export function convertModel({ parts, bind }: Pick<NodeContext, "parts" | "bind">): ConvertedModel {
  const [part, ...others] = parts.filter(({ kind }) => kind === "ai_languageModel");
  if (!part) throw new NotConvertible("has no model");
  const service = SERVICES[part.node.type];
  if (!service) throw new NotConvertible(`needs ${part.node.type}`);
  const { parameters } = part.node;
  const given = readModelName(parameters["model"] ?? parameters["modelName"]);
  const isByCode = given?.startsWith("=") === true;
  const options = toObject(parameters["options"]);
  const { temperature } = options;
  const maxTokens =
    options["maxTokens"] ?? options["maxOutputTokens"] ?? options["maxTokensToSample"];
  return {
    args: isByCode ? { model: toCode(given) } : {},
    config: {
      connectorId: bind("connector", service.title, service.title),
      model: isByCode ? "{{ item.model }}" : (given ?? service.model),
      ...(typeof temperature === "number" && {
        temperature: Math.min(2, Math.max(0, temperature)),
      }),
      ...(typeof maxTokens === "number" &&
        maxTokens >= 1 && { maxTokens: Math.min(TOKENS_MAX, Math.round(maxTokens)) }),
    },
    approximations: [
      ...(given === undefined
        ? [`the export does not name the model: ${service.model} is used`]
        : []),
      ...(others.length > 0 ? ["a second model is ignored"] : []),
    ],
  };
}

/** The maximum of a step. */
export const TOKENS_MAX = 1_000_000;

/** A name, or a selection from a list. */
export function readModelName(value: Json): string | undefined {
  const name = toText(toObject(value)["value"], toText(value)).replace(/^models\//, "");
  return name === "" ? undefined : name;
}

/** The response schema from the output parser of a node. Undefined without a parser. */
export function findAnswerSchema(parts: readonly NodePart[]): JsonObject | undefined {
  const part = parts.find(({ kind }) => kind === "ai_outputParser");
  if (!part) return undefined;
  const { type, parameters } = part.node;
  if (type === "lc.outputParserAutofixing") return findAnswerSchema(part.parts);
  if (type === "lc.outputParserItemList") {
    return toObjectSchema({ type: "array", items: { type: "string" } });
  }
  if (type !== "lc.outputParserStructured") throw new NotConvertible(`needs ${type}`);
  return readSchema(parameters);
}

/** A schema that is written directly, or derived from an example. */
export function readSchema(parameters: JsonObject): JsonObject {
  const { schemaType, inputSchema, jsonSchema, jsonSchemaExample } = parameters;
  const written = toText(inputSchema, toText(jsonSchema));
  const isWritten = schemaType === "manual" || (schemaType === undefined && written !== "");
  const value = parseJson(isWritten ? written : toText(jsonSchemaExample, DEFAULT_EXAMPLE));
  return toObjectSchema(isWritten ? toObject(value) : schemaOfExample(value, 0));
}

const DEFAULT_EXAMPLE = '{ "state": "California", "cities": ["Los Angeles", "San Francisco"] }';

function parseJson(text: string): Json {
  if (text.startsWith("=")) throw new NotConvertible("uses an expression for the schema");
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new NotConvertible("has a schema that is not JSON");
  }
}

const EXAMPLE_DEPTH_MAX = 10;

function schemaOfExample(value: Json, depth: number): JsonObject {
  if (value === null || depth > EXAMPLE_DEPTH_MAX) return {};
  if (Array.isArray(value)) {
    const [first] = value as readonly Json[];
    return {
      type: "array",
      ...(first !== undefined && { items: schemaOfExample(first, depth + 1) }),
    };
  }
  if (typeof value !== "object") return { type: typeof value };
  const members = Object.entries(value).map(([name, part]): [string, JsonObject] => [
    name,
    schemaOfExample(part, depth + 1),
  ]);
  return {
    type: "object",
    properties: Object.fromEntries(members),
    required: members.map(([name]) => name),
  };
}

/** Model services require an object. */
function toObjectSchema(schema: JsonObject): JsonObject {
  if (schema["type"] === "object" || schema["properties"] !== undefined) return schema;
  return { type: "object", properties: { value: schema }, required: ["value"] };
}

/** The memory of an agent: its key as code, and the window size. */
export function convertMemory(
  parts: readonly NodePart[],
):
  | { readonly key: string; readonly window: number; readonly approximations: string[] }
  | undefined {
  const part = parts.find(({ kind }) => kind === "ai_memory");
  if (!part) return undefined;
  const { sessionKey, sessionIdType, contextWindowLength } = part.node.parameters;
  const length = typeof contextWindowLength === "number" ? contextWindowLength : 5;
  const isOwn = sessionIdType === "customKey" && sessionKey !== undefined;
  const isKnown = part.node.type === "lc.memoryBufferWindow";
  return {
    key: isOwn ? toCode(sessionKey) : "$json.sessionId",
    // n8n counts exchanges, which are two messages each.
    window: Math.min(100, Math.max(2, Math.round(length) * 2)),
    approximations: isKnown
      ? []
      : [`memory is stored in Millrace, not in ${part.node.type.slice(3)}`],
  };
}
