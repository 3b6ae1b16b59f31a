/** Model nodes that are not conversations: images, speech, files, summaries. */
import { toCode } from "../code-text.ts";
import {
  type Convert,
  type ConvertedNode,
  type NodeContext,
  type NodeTable,
  NotConvertible,
  outsideSteps,
} from "../conversion.ts";
import { type JsonObject, toList, toObject, toText } from "../n8n-workflow.ts";
import { flattenCode } from "../nodes/outside-nodes.ts";
import { callForEach } from "../nodes/service-node.ts";
import { toServiceCall, request, type Service } from "../services/service-table.ts";
import { askForEach, convertChat } from "./model-nodes.ts";
import { convertModel, readModelName, TOKENS_MAX } from "./model-part.ts";

/** Builds code for the images of an item. */
function picturesCode(parameters: JsonObject, field: string): string {
  const { inputType = "url", binaryPropertyName = "data" } = parameters;
  if (inputType === "binary" || inputType === "base64")
    return `n8n.list(${toCode(binaryPropertyName)}).map((name) => n8n.file($item, name))`;
  return `n8n.list(${toCode(parameters[field] ?? "")}).map((url) => ({ url }))`;
}

interface AskedFiles {
  readonly urls: string;
  readonly question: string;
}

const PICTURES: AskedFiles = { urls: "imageUrls", question: "What's in this image?" };

/** Files with a question about them. */
function analyzeFiles(
  ctx: NodeContext,
  service: { readonly title: string; readonly model: string },
  { urls, question }: AskedFiles = PICTURES,
): ConvertedNode {
  const { parameters } = ctx.node;
  const name = readModelName(parameters["modelId"]);
  const { maxTokens, maxOutputTokens } = toObject(parameters["options"]);
  const limit = maxTokens ?? maxOutputTokens;
  return askForEach(ctx, {
    type: "llm",
    args: {
      prompt: toCode(parameters["text"] ?? question),
      ...(name?.startsWith("=") && { model: toCode(name) }),
    },
    given: { files: picturesCode(parameters, urls) },
    config: {
      connectorId: ctx.bind("connector", service.title, service.title),
      model: name === undefined ? service.model : name.startsWith("=") ? "{{ item.model }}" : name,
      prompt: "{{ item.prompt }}",
      files: "{{ item.given.files }}",
      ...(typeof limit === "number" &&
        limit >= 1 && { maxTokens: Math.min(TOKENS_MAX, Math.round(limit)) }),
    },
    each:
      service.title === "OpenAI"
        ? "[{ content: one.text }]"
        : service.title === "Anthropic"
          ? '[{ content: [{ type: "text", text: one.text }] }]'
          : '[{ content: { parts: [{ text: one.text }], role: "model" }, finishReason: "STOP" }]',
    approximations: [],
  });
}

const MEDIA: Service = {
  preset: "openai",
  title: "OpenAI",
  usual: "image.generate audio.generate",
  takes: "binaryPropertyName options.binaryPropertyOutput simplify",
  actions: [
    {
      on: "audio.transcribe audio.translate",
      action: "request",
      input: {
        ...request("POST /audio/transcriptions", {
          headers: { "content-type": '="multipart/form-data"' },
          body: (read) => {
            const language = read.code("options.language");
            const temperature = read.code("options.temperature");
            return `{ file: n8n.file($item, ${read.code("binaryPropertyName") ?? '"data"'}), model: "whisper-1"${language === undefined ? "" : `, language: ${language}`}${temperature === undefined ? "" : `, temperature: n8n.text(${temperature})`} }`;
          },
        }),
        path: (read) =>
          read.raw("operation") === "translate"
            ? '"/audio/translations"'
            : '"/audio/transcriptions"',
      },
    },
    {
      on: "audio.generate",
      action: "request",
      input: request("POST /audio/speech", {
        body: {
          model: (read) => read.source("model") ?? '"tts-1"',
          input: "input",
          voice: (read) => read.source("voice") ?? '"alloy"',
          response_format: "options.response_format",
          speed: "options.speed|number",
        },
        response: "file",
      }),
    },
  ],
};

/** The current OpenAI node: messages, images and speech. */
const openAi: Convert = (ctx) => {
  const { parameters } = ctx.node;
  const { resource = "text", operation } = parameters;
  if (resource === "text" || (resource === "image" && operation === "message"))
    return convertChat(ctx);
  if (resource === "image" && operation === "analyze")
    return analyzeFiles(ctx, { title: "OpenAI", model: "gpt-4.1-mini" });
  if (resource === "image" && (operation ?? "generate") === "generate") return drawPicture(ctx);
  if (resource === "audio") return callForEach(ctx, toServiceCall(MEDIA, "lc.openAi", parameters));
  throw new NotConvertible(`needs lc.openAi ${toText(resource)}.${toText(operation)}`);
};

/** An image. The response contains base64 or a URL; the result is stored as a file because of its size. */
function drawPicture(ctx: NodeContext): ConvertedNode {
  const { parameters } = ctx.node;
  const { prompt = "", model, options } = parameters;
  const { size, quality, dalleQuality, style, n, returnImageUrls, binaryPropertyOutput } =
    toObject(options);
  const { value, __rl } = toObject(model);
  const named = toText(__rl === true ? value : model, "dall-e-2");
  const fields: readonly (readonly [string, unknown])[] = [
    ["size", size],
    ["quality", quality ?? dalleQuality],
    ["style", style],
    ["n", n],
  ];
  const more = fields
    .filter(([, one]) => one !== undefined && one !== "")
    .map(([name, one]) => `, ${name}: ${toCode(one)}`);
  const isUrl = returnImageUrls === true;
  const format = named.startsWith("dall-e")
    ? `, response_format: ${isUrl ? '"url"' : '"b64_json"'}`
    : "";
  const step = {
    type: "connector",
    config: {
      connectorId: ctx.bind("connector", "openai", "OpenAI (a service of the catalogue)"),
      action: "request",
      input: "{{ item }}",
    },
  };
  const property = JSON.stringify(toText(binaryPropertyOutput, "data"));
  const made = outsideSteps(
    ctx,
    {
      args: `{ method: "POST", path: "/images/generations", body: { model: ${toCode(named)}, prompt: n8n.text(${toCode(prompt)})${more.join("")}${format} }${isUrl ? "" : ', response: "file"'} }`,
      step,
      flatten: isUrl
        ? flattenCode(ctx, "one.body.data")
        : `const items = [];
for (const one of outputs) {
  if (one === null) continue;
  const { data } = JSON.parse(await context.files.read(one.body, { as: "text" }));
  for (const { b64_json } of data) items.push({ $binary: { [${property}]: await context.files.write("image.png", Buffer.from(b64_json, "base64")) } });
}
return items;`,
    },
    parameters,
  );
  return made;
}

/** The old OpenAI node: a chat or a text completion. */
const oldOpenAi: Convert = (ctx) => {
  const { parameters } = ctx.node;
  const {
    resource = "text",
    operation = "complete",
    model,
    chatModel,
    prompt = "",
    simplifyOutput,
    options,
  } = parameters;
  if (operation !== "complete" || (resource !== "text" && resource !== "chat"))
    throw new NotConvertible(`needs openAi ${toText(resource)}.${toText(operation)}`);
  const messages = toList(toObject(prompt)["messages"]).map(toObject);
  const systems = messages.filter(({ role }) => role === "system");
  const others = messages.filter(({ role }) => role !== "system");
  const { temperature, maxTokens } = toObject(options);
  const name = readModelName(chatModel ?? model);
  const asked =
    messages.length === 0
      ? toCode(prompt)
      : `[${others.map(({ content = "" }) => toCode(content)).join(", ")}].join("\\n\\n")`;
  const isChat = resource === "chat";
  const simple = simplifyOutput !== false;
  return askForEach(ctx, {
    type: "llm",
    args: {
      prompt: asked,
      ...(systems.length > 0 && {
        system: `[${systems.map(({ content = "" }) => toCode(content)).join(", ")}].join("\\n\\n")`,
      }),
    },
    config: {
      connectorId: ctx.bind("connector", "OpenAI", "OpenAI"),
      model: name === undefined || name.startsWith("=") ? "gpt-4.1-mini" : name,
      prompt: "{{ item.prompt }}",
      ...(systems.length > 0 && { system: "{{ item.system }}" }),
      ...(typeof temperature === "number" && {
        temperature: Math.min(2, Math.max(0, temperature)),
      }),
      ...(typeof maxTokens === "number" &&
        maxTokens >= 1 && { maxTokens: Math.min(TOKENS_MAX, Math.round(maxTokens)) }),
    },
    each: isChat
      ? simple
        ? '[{ index: 0, message: { role: "assistant", content: one.text }, finish_reason: "stop" }]'
        : '[{ choices: [{ index: 0, message: { role: "assistant", content: one.text } }] }]'
      : simple
        ? '[{ text: one.text, index: 0, finish_reason: "stop" }]'
        : "[{ choices: [{ index: 0, text: one.text }] }]",
    approximations: ["a current model of the same provider is used"],
  });
};

/** The default operations of the Gemini node. */
const GEMINI_USUAL: Readonly<Record<string, string>> = {
  audio: "transcribe",
  document: "analyze",
  image: "generate",
  video: "generate",
};

/** Questions about files: the parameter with their URLs, and the default prompt. */
const GEMINI_FILES: Readonly<Record<string, AskedFiles>> = {
  "image.analyze": { urls: "imageUrls", question: "What's in this image?" },
  "document.analyze": { urls: "documentUrls", question: "What's in this document?" },
  "video.analyze": { urls: "videoUrls", question: "What's in this video?" },
  "audio.analyze": { urls: "audioUrls", question: "What's in this audio?" },
  "audio.transcribe": { urls: "audioUrls", question: "Generate a transcript of the speech." },
};

/** The Gemini node: messages, and questions about files. */
const googleGemini: Convert = (ctx) => {
  const { resource = "text", operation } = ctx.node.parameters;
  const gemini = { title: "Google Gemini", model: "gemini-2.5-flash" };
  const does = `${toText(resource)}.${toText(operation, GEMINI_USUAL[toText(resource)] ?? "")}`;
  const heard = Object.hasOwn(GEMINI_FILES, does) ? GEMINI_FILES[does] : undefined;
  if (heard) return analyzeFiles(ctx, gemini, heard);
  if (resource !== "text") throw new NotConvertible(`needs lc.googleGemini ${does}`);
  return message(
    ctx,
    gemini,
    (content) =>
      `[{ content: { parts: [{ text: ${content} }], role: "model" }, finishReason: "STOP", index: 0 }]`,
  );
};

const anthropic: Convert = (ctx) => {
  const { resource = "text", operation } = ctx.node.parameters;
  if (resource === "image" && (operation ?? "analyze") === "analyze")
    return analyzeFiles(ctx, { title: "Anthropic", model: "claude-sonnet-4-5" });
  if (resource !== "text")
    throw new NotConvertible(`needs lc.anthropic ${toText(resource)}.${toText(operation)}`);
  return message(
    ctx,
    { title: "Anthropic", model: "claude-sonnet-4-5" },
    (content) => `[{ content: [{ type: "text", text: ${content} }] }]`,
  );
};

function message(
  ctx: NodeContext,
  service: { readonly title: string; readonly model: string },
  each: (content: string) => string,
): ConvertedNode {
  const { parameters } = ctx.node;
  const { modelId, messages, jsonOutput, options } = parameters;
  const {
    systemMessage,
    system = systemMessage,
    temperature,
    maxOutputTokens,
    maxTokens = maxOutputTokens,
  } = toObject(options);
  const asked = toList(toObject(messages)["values"]).map((one) =>
    toCode(toObject(one)["content"] ?? ""),
  );
  const name = readModelName(modelId);
  return askForEach(ctx, {
    type: "llm",
    args: {
      prompt: `[${asked.join(", ")}].join("\\n\\n")`,
      ...(system !== undefined && { system: toCode(system) }),
      ...(name?.startsWith("=") && { model: toCode(name) }),
    },
    config: {
      connectorId: ctx.bind("connector", service.title, service.title),
      model: name === undefined ? service.model : name.startsWith("=") ? "{{ item.model }}" : name,
      prompt: "{{ item.prompt }}",
      ...(system !== undefined && { system: "{{ item.system }}" }),
      ...(jsonOutput === true && { schema: { type: "object" } }),
      ...(typeof temperature === "number" && {
        temperature: Math.min(2, Math.max(0, temperature)),
      }),
      ...(typeof maxTokens === "number" &&
        maxTokens >= 1 && { maxTokens: Math.min(TOKENS_MAX, Math.round(maxTokens)) }),
    },
    each: each("one.text"),
    approximations: asked.length > 1 ? ["all messages are sent as one prompt"] : [],
  });
}

const SUMMARIZE = "Write a concise summary of the following text.";

const chainSummarization: Convert = (ctx) => {
  const { parameters, version } = ctx.node;
  const { operationMode = "nodeInputJson", options } = parameters;
  if (operationMode !== "nodeInputJson") throw new NotConvertible("summarizes a document");
  const model = convertModel(ctx);
  const { values } = toObject(toObject(options)["summarizationMethodAndPrompts"]);
  const { combineMapPrompt, prompt, summarizationMethod = "map_reduce" } = toObject(values);
  const { chunkingMode = "simple", chunkSize = 1_000, chunkOverlap = 200 } = parameters;
  const isWhole = summarizationMethod === "stuff";
  const isSimple = summarizationMethod === "map_reduce" && chunkingMode === "simple";
  const given = readInstructions(combineMapPrompt ?? prompt);
  const last = readInstructions(prompt ?? combineMapPrompt);
  const size = typeof chunkSize === "number" ? chunkSize : 1_000;
  const chunks = {
    characters: Math.min(400_000, Math.max(500, Math.round(size))),
    overlap: typeof chunkOverlap === "number" ? Math.min(10_000, Math.max(0, chunkOverlap)) : 200,
    combine: "{{ item.combine }}",
  };
  return askForEach(ctx, {
    type: "llm",
    args: {
      prompt: "JSON.stringify($json)",
      system: toCode(given),
      ...(!isWhole && { combine: toCode(last) }),
      ...model.args,
    },
    config: {
      ...model.config,
      prompt: "{{ item.prompt }}",
      system: "{{ item.system }}",
      ...(!isWhole && { chunks }),
    },
    each:
      version >= 2.1 ? "[{ output: { text: one.text } }]" : "[{ response: { text: one.text } }]",
    approximations: [
      ...model.approximations,
      ...(isWhole || isSimple
        ? []
        : ["the text is split by characters, and the responses are combined"]),
    ],
  });
};

/** The instructions around the text of a prompt template. The text itself becomes the message. */
function readInstructions(prompt: unknown): string {
  const words = toText(prompt)
    .replaceAll(/"?\{text\}"?/g, "")
    .trim();
  return words === "" ? SUMMARIZE : words;
}

export const mediaNodes: NodeTable = {
  "lc.openAi": openAi,
  openAi: oldOpenAi,
  "lc.googleGemini": googleGemini,
  "lc.anthropic": anthropic,
  "lc.chainSummarization": chainSummarization,
};
