import type { Static } from "typebox";
import { object } from "#kernel/schema/schema.ts";
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
  type MessagePart,
  partsOf,
  type RawAnswer,
  textIn,
  textOfMessage,
} from "./chat.ts";
import { EmbedInput, modelConfig, modelParts, toVectors } from "./model-actions.ts";
import { callModel, isStreamWanted, streamModel } from "./model-call.ts";

const API = "https://generativelanguage.googleapis.com/v1beta";

const config = object(modelConfig(AddressSchema(`Default: ${API}`)));
type Config = Static<typeof config>;

const parts = modelParts<Config>({ api: API, ask: askModel, listModels });

/** Google's models. */
export const gemini = connectorType({
  type: "gemini",
  summary: "Language models of Google (auth `bearer`: the token is the API key)",
  config,
  authKinds: ["none", "bearer", "api_key"],
  actions: [
    parts.chat,
    action<Config, typeof EmbedInput>({
      name: "embed",
      summary: "Returns a vector for each text",
      input: EmbedInput,
      async run(connection, { model, texts, dimensions }) {
        const path = `${pathOf(model)}:batchEmbedContents`;
        const requests = texts.map((text) => ({
          model: pathOf(model).slice(1),
          content: { parts: [{ text }] },
          ...(dimensions !== undefined && { outputDimensionality: dimensions }),
        }));
        const target = toTarget(connection, path);
        const answer = await callModel(withKey(connection), { ...target, body: { requests } });
        const { embeddings } = fieldsOf(answer);
        return { vectors: toVectors(listOf(embeddings), "values", texts.length) };
      },
    }),
    parts.models,
  ],
  check: parts.check,
  test: parts.test,
});

/** The key is sent in the `x-goog-api-key` header, never in a URL. */
function withKey(connection: UpstreamConnection<Config>): UpstreamConnection<Config> {
  const { auth } = connection;
  if (auth.kind !== "bearer") return connection;
  return { ...connection, auth: { kind: "api_key", name: "x-goog-api-key", value: auth.token } };
}

function toTarget(
  { config: { baseUrl = API, headers } }: UpstreamConnection<Config>,
  path: string,
) {
  return {
    url: joinUrl(baseUrl, { path }, "/config/baseUrl"),
    headers: mergeHeaders(headers),
  };
}

/** A model's name is part of the path. */
function pathOf(model: string): string {
  return `/models/${encodeURIComponent(model.replace(/^models\//, ""))}`;
}

async function listModels(connection: UpstreamConnection<Config>): Promise<string[]> {
  const target = toTarget(connection, "/models?pageSize=1000");
  const answer = fieldsOf(await callModel(withKey(connection), { ...target, method: "GET" }));
  return listOf(answer["models"])
    .map((model) => textIn(fieldsOf(model)["name"]).replace(/^models\//, ""))
    .filter((name) => name !== "");
}

async function askModel(
  connection: UpstreamConnection<Config>,
  input: ChatInput,
): Promise<RawAnswer> {
  const body = toRequest(input);
  const keyed = withKey(connection);
  const path = pathOf(input.model);
  if (!isStreamWanted()) {
    const target = toTarget(connection, `${path}:generateContent`);
    return readAnswer(fieldsOf(await callModel(keyed, { ...target, body })), input);
  }
  const target = toTarget(connection, `${path}:streamGenerateContent?alt=sse`);
  const fold = { first: newStreamed(), add: addChunk };
  const state = await streamModel(keyed, { ...target, body }, fold);
  return readAnswer(toAnswer(state), input);
}

function toRequest(input: ChatInput) {
  const { system, messages, tools = [], toolChoice, schema, temperature, maxTokens } = input;
  // Most models do not support a schema together with tools: then it becomes part of the instructions.
  const isToldInWords = schema !== undefined && tools.length > 0;
  const instructions = [
    ...(system === undefined || system === "" ? [] : [system]),
    ...(isToldInWords
      ? [`The final response is only JSON that matches this JSON Schema: ${JSON.stringify(schema)}`]
      : []),
  ].join("\n\n");
  return {
    ...(instructions !== "" && { systemInstruction: { parts: [{ text: instructions }] } }),
    contents: joinTurns(messages.map(toWireMessage)),
    ...(tools.length > 0 && {
      tools: [
        {
          functionDeclarations: tools.map(({ name, description, parameters }) => ({
            name,
            ...(description !== undefined && { description }),
            parametersJsonSchema: parameters,
          })),
        },
      ],
      ...(toolChoice === "none" && { toolConfig: { functionCallingConfig: { mode: "NONE" } } }),
    }),
    generationConfig: {
      ...(temperature !== undefined && { temperature }),
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      ...(schema &&
        !isToldInWords && { responseMimeType: "application/json", responseJsonSchema: schema }),
    },
  };
}

interface WireMessage {
  readonly role: "user" | "model";
  readonly parts: readonly object[];
}

function toWireMessage(message: Message): WireMessage {
  const { role, calls = [], name = "", isError } = message;
  if (role === "tool") {
    const content = textOfMessage(message);
    const response = isError ? { error: content } : { result: content };
    return { role: "user", parts: [{ functionResponse: { name, response } }] };
  }
  const functionCalls = calls.map(({ name: called, arguments: args, signature }) => ({
    functionCall: { name: called, args: fieldsOf(args) },
    ...(signature !== undefined && { thoughtSignature: signature }),
  }));
  const parts = [...partsOf(message).map(toWirePart), ...functionCalls];
  return { role: role === "assistant" ? "model" : "user", parts };
}

function toWirePart({ type, text = "", url, mediaType, data }: MessagePart): object {
  if (type === "text") return { text };
  return data === undefined
    ? { fileData: { fileUri: url ?? "" } }
    : { inlineData: { mimeType: mediaType ?? "image/png", data } };
}

function joinTurns(messages: readonly WireMessage[]): WireMessage[] {
  const joined: WireMessage[] = [];
  for (const { role, parts } of messages) {
    const last = joined.at(-1);
    if (last?.role === role) joined[joined.length - 1] = { role, parts: [...last.parts, ...parts] };
    else if (parts.length > 0) joined.push({ role, parts });
  }
  return joined;
}

const FINISH: Readonly<Record<string, RawAnswer["finish"]>> = {
  MAX_TOKENS: "length",
  SAFETY: "filtered",
  RECITATION: "filtered",
  PROHIBITED_CONTENT: "filtered",
};

function readAnswer(answer: Readonly<Record<string, unknown>>, input: ChatInput): RawAnswer {
  const candidate = fieldsOf(listOf(answer["candidates"])[0]);
  const blocked = textIn(fieldsOf(answer["promptFeedback"])["blockReason"]);
  if (!("finishReason" in candidate) && !("content" in candidate) && blocked === "") {
    throw new UpstreamError("The model provider did not return a response.");
  }
  const parts = listOf(fieldsOf(candidate["content"])["parts"]).map(fieldsOf);
  const calls = parts.filter((part) => "functionCall" in part).map(readCall);
  const usage = fieldsOf(answer["usageMetadata"]);
  const thought = countIn(usage["thoughtsTokenCount"]);
  const finish = FINISH[textIn(candidate["finishReason"])] ?? "stop";
  return {
    text: parts.map((part) => (part["thought"] === true ? "" : textIn(part["text"]))).join(""),
    calls,
    finish: blocked !== "" ? "filtered" : calls.length > 0 ? "tools" : finish,
    usage: {
      inputTokens: countIn(usage["promptTokenCount"]),
      outputTokens: countIn(usage["candidatesTokenCount"]) + thought,
      cachedTokens: countIn(usage["cachedContentTokenCount"]),
    },
    model: textIn(answer["modelVersion"]) || input.model,
  };
}

/** Its calls have no ids: their order is one. */
function readCall(part: Readonly<Record<string, unknown>>, index: number): AskedCall {
  const { id, name, args } = fieldsOf(part["functionCall"]);
  const signature = part["thoughtSignature"];
  return {
    id: textIn(id) || `call_${index}`,
    name: textIn(name),
    arguments: args ?? {},
    ...(typeof signature === "string" && { signature }),
  };
}

interface Streamed {
  readonly parts: unknown[];
  finish: unknown;
  usage: unknown;
  model: unknown;
  feedback: unknown;
}

function newStreamed(): Streamed {
  return { parts: [], finish: undefined, usage: {}, model: "", feedback: {} };
}

function addChunk(state: Streamed, chunk: Readonly<Record<string, unknown>>): string {
  const candidate = fieldsOf(listOf(chunk["candidates"])[0]);
  const parts = listOf(fieldsOf(candidate["content"])["parts"]);
  for (const part of parts) state.parts.push(part);
  state.finish = candidate["finishReason"] ?? state.finish;
  state.usage = chunk["usageMetadata"] ?? state.usage;
  state.model = chunk["modelVersion"] ?? state.model;
  state.feedback = chunk["promptFeedback"] ?? state.feedback;
  return parts.map((part) => textIn(fieldsOf(part)["text"])).join("");
}

function toAnswer({ parts, finish, usage, model, feedback }: Streamed) {
  return {
    candidates: [{ content: { parts }, ...(finish !== undefined && { finishReason: finish }) }],
    usageMetadata: usage,
    modelVersion: model,
    promptFeedback: feedback,
  };
}
