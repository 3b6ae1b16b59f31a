/** The common form of a conversation with a language model, for all services. */
import Type, { type Static } from "typebox";
import { isNestedDeeperThan } from "#kernel/schema/json-depth.ts";
import { line, object, text } from "#kernel/schema/schema.ts";

const TEXT_CHARACTERS_MAX = 1_000_000;
export const MESSAGES_MAX = 1_000;
export const TOOLS_MAX = 128;

const JsonSchema = Type.Record(Type.String(), Type.Unknown(), { description: "A JSON Schema" });

/** A tool call that a model requests. */
export const ToolCall = object(
  {
    id: line(500),
    name: line(200),
    arguments: Type.Unknown({ description: "An object according to the schema of the tool" }),
    signature: Type.Optional(text(100_000, "Provider data that must be sent back with the call")),
  },
  { title: "ModelToolCall" },
);
export type ToolCall = Static<typeof ToolCall>;

const MessagePart = object({
  type: Type.Enum(["text", "image"]),
  text: Type.Optional(text(TEXT_CHARACTERS_MAX)),
  url: Type.Optional(line(8_000, "URL of an image that the provider downloads")),
  mediaType: Type.Optional(line(100, "Media type of `data`")),
  data: Type.Optional(text(8_000_000, "An image in base64")),
});
export type MessagePart = Static<typeof MessagePart>;

export const Message = object(
  {
    role: Type.Enum(["user", "assistant", "tool"]),
    content: Type.Optional(
      Type.Union([text(TEXT_CHARACTERS_MAX), Type.Array(MessagePart, { maxItems: 100 })]),
    ),
    calls: Type.Optional(
      Type.Array(ToolCall, { maxItems: TOOLS_MAX, description: "For the role assistant" }),
    ),
    callId: Type.Optional(line(500, "For a tool result: id of the call")),
    name: Type.Optional(line(200, "For a tool result")),
    isError: Type.Optional(
      Type.Boolean({ description: "For a tool result: whether the tool failed" }),
    ),
  },
  { title: "ModelMessage" },
);
export type Message = Static<typeof Message>;

export const ToolOffer = object({
  name: Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" }),
  description: Type.Optional(text(10_000)),
  parameters: JsonSchema,
});
export type ToolOffer = Static<typeof ToolOffer>;

/** The input of `chat`. */
export const ChatInput = object({
  model: line(300),
  system: Type.Optional(text(TEXT_CHARACTERS_MAX)),
  messages: Type.Array(Message, { minItems: 1, maxItems: MESSAGES_MAX }),
  tools: Type.Optional(Type.Array(ToolOffer, { maxItems: TOOLS_MAX })),
  toolChoice: Type.Optional(
    Type.Enum(["auto", "none"], { description: "`none`: the model must respond without a tool" }),
  ),
  schema: Type.Optional(JsonSchema),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  maxTokens: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
});
export type ChatInput = Static<typeof ChatInput>;

/** The token usage of a call. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Part of the input tokens: read from the service's cache. */
  readonly cachedTokens: number;
}

/** The output of `chat`. */
export interface ChatAnswer {
  readonly text: string;
  readonly calls: readonly AskedCall[];
  readonly finish: "stop" | "length" | "tools" | "filtered";
  readonly usage: Usage;
  /** In US dollars; null if the token price is unknown. */
  readonly cost: number | null;
  readonly model: string;
}

/** A tool call as the model requested it; its arguments may be invalid JSON. */
export interface AskedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly signature?: string;
  /** Why it can't be carried out. */
  readonly problem?: string;
}

/** An answer before its cost is known. */
export type RawAnswer = Omit<ChatAnswer, "cost"> & { readonly cost?: number };

/** Returns a value as an object with optional fields, because services may send unexpected data. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

/** A value as a list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A value as a text. */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A value as a count. */
export function countIn(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}

const ARGUMENTS_DEPTH_MAX = 50;

/** Parses the arguments that a model wrote as JSON. */
export function parseArguments(written: string): Pick<AskedCall, "arguments" | "problem"> {
  if (written.trim() === "") return { arguments: {} };
  if (isNestedDeeperThan(written, ARGUMENTS_DEPTH_MAX)) {
    return {
      arguments: written.slice(0, 2_000),
      problem: "The arguments have too many levels of nesting.",
    };
  }
  try {
    return { arguments: JSON.parse(written) as unknown };
  } catch {
    return { arguments: written.slice(0, 2_000), problem: "The arguments are not JSON." };
  }
}

/** The parts of a message's content. */
export function partsOf({ content }: Message): readonly MessagePart[] {
  if (content === undefined || content === "") return [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** The content of a message as plain text. */
export function textOfMessage(message: Message): string {
  return partsOf(message)
    .map((part) => part.text ?? "")
    .join("");
}
