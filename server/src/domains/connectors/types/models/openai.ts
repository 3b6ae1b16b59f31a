import Type, { type Static } from "typebox";
import { line, object } from "#kernel/schema/schema.ts";
import type { UpstreamConnection } from "../../upstream/connection.ts";
import { AddressSchema, joinUrl, mergeHeaders } from "../../upstream/target.ts";
import { UpstreamError } from "../../upstream/upstream-error.ts";
import { action, connectorType } from "../connector-type.ts";
import {
  type AskedCall,
  type ChatInput,
  countIn,
  fieldsOf,
  listOf,
  type Message,
  parseArguments,
  type MessagePart,
  partsOf,
  type RawAnswer,
  textIn,
  textOfMessage,
} from "./chat.ts";
import { EmbedInput, modelConfig, modelParts, toVectors } from "./model-actions.ts";
import { callModel, isStreamWanted, streamModel } from "./model-call.ts";
import { notDestination } from "../../destination-mark.ts";

const API = "https://api.openai.com/v1";

const config = object({
  ...modelConfig(
    AddressSchema(
      `Default: ${API}. Also for OpenRouter, Groq, Mistral, DeepSeek, Ollama (\`http://host:11434/v1\`), Azure (\`https://NAME.openai.azure.com/openai/v1\`, auth \`api_key\` with the name \`api-key\`), and other compatible providers`,
    ),
  ),
  organization: Type.Optional(notDestination(line(200))),
});
type Config = Static<typeof config>;

const parts = modelParts<Config>({ api: API, ask: askModel, listModels });

/** Models of OpenAI and of services with a compatible API. */
export const openai = connectorType({
  type: "openai",
  summary:
    "Language models of OpenAI and compatible providers: OpenRouter, Azure, Groq, Mistral, DeepSeek, Ollama",
  config,
  authKinds: ["none", "bearer", "api_key", "oauth2_client_credentials"],
  actions: [
    parts.chat,
    action<Config, typeof EmbedInput>({
      name: "embed",
      summary: "Returns a vector for each text",
      input: EmbedInput,
      async run(connection, { model, texts, dimensions }) {
        const body = { model, input: texts, ...(dimensions !== undefined && { dimensions }) };
        const answer = fieldsOf(await call(connection, "/embeddings", body));
        return { vectors: toVectors(listOf(answer["data"]), "embedding", texts.length) };
      },
    }),
    parts.models,
  ],
  check: parts.check,
  test: parts.test,
});

async function listModels(connection: UpstreamConnection<Config>): Promise<string[]> {
  const answer = fieldsOf(await call(connection, "/models"));
  return listOf(answer["data"])
    .map((model) => textIn(fieldsOf(model)["id"]))
    .filter((name) => name !== "");
}

function toTarget({
  config: { baseUrl = API, headers, organization },
}: UpstreamConnection<Config>) {
  return {
    url: (path: string) => joinUrl(baseUrl, { path }, "/config/baseUrl"),
    headers: mergeHeaders(
      headers,
      organization === undefined ? {} : { "openai-organization": organization },
    ),
  };
}

function call(connection: UpstreamConnection<Config>, path: string, body?: object) {
  const { url, headers } = toTarget(connection);
  const method = body === undefined ? ("GET" as const) : ("POST" as const);
  return callModel(connection, { method, url: url(path), headers, body });
}

async function askModel(
  connection: UpstreamConnection<Config>,
  input: ChatInput,
): Promise<RawAnswer> {
  const { url, headers } = toTarget(connection);
  const target = url("/chat/completions");
  const body = toRequest(input, target);
  if (!isStreamWanted()) {
    return readAnswer(fieldsOf(await callModel(connection, { url: target, headers, body })), input);
  }
  const streamed = { ...body, stream: true, stream_options: { include_usage: true } };
  const request = { url: target, headers, body: streamed };
  const state = await streamModel(connection, request, { first: newStreamed(), add: addChunk });
  return readAnswer(toAnswer(state), input);
}

function toRequest(input: ChatInput, { hostname }: URL) {
  const { model, system, messages, tools = [], toolChoice, schema, temperature, maxTokens } = input;
  // OpenAI and Azure no longer accept the old parameter name; other services know only the old one.
  const isOwn = /(^|\.)(openai\.com|azure\.com)$/.test(hostname);
  return {
    model,
    messages: [
      ...(system === undefined || system === "" ? [] : [{ role: "system", content: system }]),
      ...messages.map(toWireMessage),
    ],
    ...(tools.length > 0 && {
      tools: tools.map((tool) => ({ type: "function", function: tool })),
      ...(toolChoice === "none" && { tool_choice: "none" }),
    }),
    ...(schema && {
      response_format: { type: "json_schema", json_schema: { name: "answer", schema } },
    }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && {
      [isOwn ? "max_completion_tokens" : "max_tokens"]: maxTokens,
    }),
  };
}

function toWireMessage(message: Message): object {
  const { role, calls = [], callId } = message;
  if (role === "tool") return { role, tool_call_id: callId ?? "", content: textOfMessage(message) };
  if (role === "assistant") {
    const written = textOfMessage(message);
    const tool_calls = calls.map(({ id, name, arguments: given }) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(given ?? {}) },
    }));
    return {
      role,
      content: written === "" ? null : written,
      ...(tool_calls.length > 0 && { tool_calls }),
    };
  }
  const { content } = message;
  return {
    role,
    content: typeof content === "string" ? content : partsOf(message).map(toWirePart),
  };
}

function toWirePart({ type, text: written = "", url, mediaType, data }: MessagePart): object {
  if (type === "text") return { type, text: written };
  return { type: "image_url", image_url: { url: url ?? `data:${mediaType};base64,${data}` } };
}

const FINISH: Readonly<Record<string, RawAnswer["finish"]>> = {
  length: "length",
  tool_calls: "tools",
  function_call: "tools",
  content_filter: "filtered",
};

function readAnswer(answer: Readonly<Record<string, unknown>>, input: ChatInput): RawAnswer {
  const [choice] = listOf(answer["choices"]);
  if (choice === undefined)
    throw new UpstreamError("The model provider did not return a response.");
  const message = fieldsOf(fieldsOf(choice)["message"]);
  const usage = fieldsOf(answer["usage"]);
  const details = fieldsOf(usage["prompt_tokens_details"]);
  const { cost } = usage;
  return {
    text: contentText(message["content"]) || textIn(message["refusal"]),
    calls: listOf(message["tool_calls"]).map(readCall),
    finish: FINISH[textIn(fieldsOf(choice)["finish_reason"])] ?? "stop",
    usage: {
      inputTokens: countIn(usage["prompt_tokens"]),
      outputTokens: countIn(usage["completion_tokens"]),
      cachedTokens: countIn(details["cached_tokens"]),
    },
    model: textIn(answer["model"]) || input.model,
    ...(typeof cost === "number" && { cost }),
  };
}

/** Some give a list of parts. */
function contentText(content: unknown): string {
  if (!Array.isArray(content)) return textIn(content);
  return content.map((part) => textIn(fieldsOf(part)["text"])).join("");
}

function readCall(value: unknown, index: number): AskedCall {
  const asked = fieldsOf(value);
  const { name, arguments: written } = fieldsOf(asked["function"]);
  // Ollama's own form has an object.
  const given =
    typeof written === "object" && written !== null
      ? { arguments: written }
      : parseArguments(textIn(written));
  return { id: textIn(asked["id"]) || `call_${index}`, name: textIn(name), ...given };
}

interface StreamedCall {
  id: string;
  name: string;
  written: string;
}

interface Streamed {
  content: string;
  readonly calls: Map<number, StreamedCall>;
  finish: string;
  usage: unknown;
  model: string;
}

function newStreamed(): Streamed {
  return { content: "", calls: new Map(), finish: "", usage: {}, model: "" };
}

function addChunk(state: Streamed, chunk: Readonly<Record<string, unknown>>): string {
  if (typeof chunk["model"] === "string") state.model = chunk["model"];
  if (typeof chunk["usage"] === "object" && chunk["usage"] !== null) state.usage = chunk["usage"];
  const choice = fieldsOf(listOf(chunk["choices"])[0]);
  if (typeof choice["finish_reason"] === "string") state.finish = choice["finish_reason"];
  const delta = fieldsOf(choice["delta"]);
  for (const [position, part] of listOf(delta["tool_calls"]).entries()) {
    const { id, index = position, function: called } = fieldsOf(part);
    const known = state.calls.get(Number(index)) ?? { id: "", name: "", written: "" };
    known.id ||= textIn(id);
    known.name ||= textIn(fieldsOf(called)["name"]);
    known.written += textIn(fieldsOf(called)["arguments"]);
    state.calls.set(Number(index), known);
  }
  const added = contentText(delta["content"]);
  state.content += added;
  return added;
}

/** The answer that the service would have given in one piece. */
function toAnswer({ content, calls, finish, usage, model }: Streamed) {
  const tool_calls = [...calls.values()].map(({ id, name, written }) => ({
    id,
    function: { name, arguments: written },
  }));
  return { model, usage, choices: [{ finish_reason: finish, message: { content, tool_calls } }] };
}
