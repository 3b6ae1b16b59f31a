import type { Static } from "typebox";
import { object } from "#kernel/schema/schema.ts";
import type { UpstreamConnection } from "../../upstream/connection.ts";
import { AddressSchema, joinUrl, mergeHeaders } from "../../upstream/target.ts";
import { UpstreamError } from "../../upstream/upstream-error.ts";
import { connectorType } from "../connector-type.ts";
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
import { modelConfig, modelParts } from "./model-actions.ts";
import { callModel, isStreamWanted, streamModel } from "./model-call.ts";

const API = "https://api.anthropic.com";
const VERSION = "2023-06-01";
/** The service wants a limit. */
const TOKENS_DEFAULT = 8_192;
/** The tool that returns an answer with a schema. */
const ANSWER_TOOL = "final_answer";

const config = object(modelConfig(AddressSchema(`Default: ${API}`)));
type Config = Static<typeof config>;

const parts = modelParts<Config>({ api: API, ask: askModel, listModels });

/** Models of Anthropic. */
export const anthropic = connectorType({
  type: "anthropic",
  summary: "Language models of Anthropic (auth `bearer`: the token is the API key)",
  config,
  authKinds: ["none", "bearer", "api_key"],
  actions: [parts.chat, parts.models],
  check: parts.check,
  test: parts.test,
});

/** The API key is sent in the `x-api-key` header. */
function withKey(connection: UpstreamConnection<Config>): UpstreamConnection<Config> {
  const { auth } = connection;
  if (auth.kind !== "bearer") return connection;
  return { ...connection, auth: { kind: "api_key", name: "x-api-key", value: auth.token } };
}

function toTarget(
  { config: { baseUrl = API, headers } }: UpstreamConnection<Config>,
  path: string,
) {
  return {
    url: joinUrl(baseUrl, { path }, "/config/baseUrl"),
    headers: mergeHeaders({ "anthropic-version": VERSION }, headers),
  };
}

async function listModels(connection: UpstreamConnection<Config>): Promise<string[]> {
  const target = toTarget(connection, "/v1/models?limit=1000");
  const answer = fieldsOf(await callModel(withKey(connection), { ...target, method: "GET" }));
  return listOf(answer["data"])
    .map((model) => textIn(fieldsOf(model)["id"]))
    .filter((name) => name !== "");
}

async function askModel(
  connection: UpstreamConnection<Config>,
  input: ChatInput,
): Promise<RawAnswer> {
  const target = toTarget(connection, "/v1/messages");
  const body = toRequest(input);
  const keyed = withKey(connection);
  if (!isStreamWanted())
    return readAnswer(fieldsOf(await callModel(keyed, { ...target, body })), input);
  const request = { ...target, body: { ...body, stream: true } };
  return readAnswer(
    await streamModel(keyed, request, { first: newStreamed(), add: addEvent }),
    input,
  );
}

function toRequest(input: ChatInput) {
  const { model, system, messages, toolChoice, schema, temperature, maxTokens } = input;
  const offered = (input.tools ?? []).map(({ name, description, parameters }) => ({
    name,
    ...(description !== undefined && { description }),
    input_schema: { type: "object", ...parameters },
  }));
  const answer = schema && {
    name: ANSWER_TOOL,
    description: "Returns the final response.",
    input_schema: isObjectSchema(schema) ? schema : wrapSchema(schema),
  };
  const tools = answer ? [...offered, answer] : offered;
  return {
    model,
    max_tokens: maxTokens ?? TOKENS_DEFAULT,
    ...(system !== undefined && system !== "" && { system }),
    messages: joinTurns(messages.map(toWireMessage)),
    ...(tools.length > 0 && {
      tools,
      ...toToolChoice(toolChoice, answer !== undefined, offered.length),
    }),
    ...(temperature !== undefined && { temperature: Math.min(1, temperature) }),
  };
}

/** A model with an answer schema must call a tool: one of the offered tools, or the answer tool. */
function toToolChoice(choice: ChatInput["toolChoice"], answers: boolean, offered: number): object {
  if (answers) {
    const isOnly = offered === 0 || choice === "none";
    return { tool_choice: isOnly ? { type: "tool", name: ANSWER_TOOL } : { type: "any" } };
  }
  return choice === "none" ? { tool_choice: { type: "none" } } : {};
}

function isObjectSchema(schema: Readonly<Record<string, unknown>>): boolean {
  return schema["type"] === "object" || "properties" in schema;
}

function wrapSchema(schema: Readonly<Record<string, unknown>>): object {
  return { type: "object", properties: { value: schema }, required: ["value"] };
}

interface WireMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly object[];
}

function toWireMessage(message: Message): WireMessage {
  const { role, calls = [], callId, isError } = message;
  if (role === "tool") {
    const content = textOfMessage(message);
    const result = { type: "tool_result", tool_use_id: callId ?? "", content };
    return { role: "user", content: [{ ...result, ...(isError && { is_error: true }) }] };
  }
  const uses = calls.map(({ id, name, arguments: given }) => ({
    type: "tool_use",
    id,
    name,
    input: fieldsOf(given),
  }));
  return { role, content: [...partsOf(message).map(toWirePart), ...uses] };
}

function toWirePart({ type, text = "", url, mediaType, data }: MessagePart): object {
  if (type === "text") return { type, text };
  const source =
    data === undefined
      ? { type: "url", url: url ?? "" }
      : { type: "base64", media_type: mediaType ?? "image/png", data };
  return { type: "image", source };
}

/** Turns must alternate, and the results of one turn's tools belong in one message. */
function joinTurns(messages: readonly WireMessage[]): WireMessage[] {
  const joined: WireMessage[] = [];
  for (const { role, content } of messages) {
    const last = joined.at(-1);
    if (last?.role === role)
      joined[joined.length - 1] = { role, content: [...last.content, ...content] };
    else if (content.length > 0) joined.push({ role, content });
  }
  return joined;
}

const FINISH: Readonly<Record<string, RawAnswer["finish"]>> = {
  max_tokens: "length",
  tool_use: "tools",
  refusal: "filtered",
};

function readAnswer(answer: Readonly<Record<string, unknown>>, input: ChatInput): RawAnswer {
  const blocks = listOf(answer["content"]).map(fieldsOf);
  if (blocks.length === 0 && answer["stop_reason"] === undefined) {
    throw new UpstreamError("The model provider did not return a response.");
  }
  const usage = fieldsOf(answer["usage"]);
  const cachedTokens = countIn(usage["cache_read_input_tokens"]);
  const written = countIn(usage["cache_creation_input_tokens"]);
  const uses = blocks.filter(({ type }) => type === "tool_use");
  const final = input.schema && uses.find(({ name }) => name === ANSWER_TOOL);
  const text = blocks.map((block) => textIn(block["text"])).join("");
  return {
    text: final ? JSON.stringify(unwrap(final["input"], input.schema ?? {})) : text,
    calls: final ? [] : uses.map(readUse),
    finish: final ? "stop" : (FINISH[textIn(answer["stop_reason"])] ?? "stop"),
    usage: {
      inputTokens: countIn(usage["input_tokens"]) + cachedTokens + written,
      outputTokens: countIn(usage["output_tokens"]),
      cachedTokens,
    },
    model: textIn(answer["model"]) || input.model,
  };
}

function unwrap(given: unknown, schema: Readonly<Record<string, unknown>>): unknown {
  return isObjectSchema(schema) ? given : fieldsOf(given)["value"];
}

function readUse(block: Readonly<Record<string, unknown>>, index: number): AskedCall {
  const { id, name, input, problem } = block;
  return {
    id: textIn(id) || `call_${index}`,
    name: textIn(name),
    arguments: input ?? {},
    ...(typeof problem === "string" && { problem }),
  };
}

/** The limit for one response; blocks beyond it are ignored. */
const BLOCKS_MAX = 1_000;

interface Block {
  type: unknown;
  [field: string]: unknown;
}

/** The message, put together from its events. */
interface Streamed {
  [field: string]: unknown;
  readonly content: Block[];
  readonly usage: Record<string, unknown>;
}

function newStreamed(): Streamed {
  return { content: [], usage: {} };
}

function addEvent(state: Streamed, event: Readonly<Record<string, unknown>>): string {
  const position = countIn(event["index"]);
  if (position > BLOCKS_MAX) return "";
  const block = state.content[position];
  const delta = fieldsOf(event["delta"]);
  switch (event["type"]) {
    case "message_start": {
      const message = fieldsOf(event["message"]);
      state["model"] = message["model"];
      Object.assign(state.usage, fieldsOf(message["usage"]));
      return "";
    }
    case "content_block_start":
      state.content[position] = { type: "", ...fieldsOf(event["content_block"]), written: "" };
      return "";
    case "content_block_delta":
      if (block === undefined) return "";
      block["written"] = textIn(block["written"]) + textIn(delta["partial_json"]);
      if (delta["type"] !== "text_delta") return "";
      block["text"] = textIn(block["text"]) + textIn(delta["text"]);
      return textIn(delta["text"]);
    case "content_block_stop":
      if (block?.type !== "tool_use") return "";
      Object.assign(block, toInput(textIn(block["written"])));
      return "";
    case "message_delta":
      state["stop_reason"] = delta["stop_reason"];
      Object.assign(state.usage, fieldsOf(event["usage"]));
      return "";
    default:
      return "";
  }
}

function toInput(written: string): object {
  const { arguments: input, problem } = parseArguments(written);
  return { input, ...(problem !== undefined && { problem }) };
}
