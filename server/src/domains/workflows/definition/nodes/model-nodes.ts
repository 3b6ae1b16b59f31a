/** Node types for language models, including the internal steps of an agent. */
import Type, { type TSchema } from "typebox";
import type { FieldError } from "#kernel/operation/failure.ts";
import { line, object, text } from "#kernel/schema/schema.ts";
import { planAgent } from "./agent-plan.ts";
import { DURATION_MS_MAX, LOOP_CONCURRENCY_MAX, NODE_ID, Retry } from "../definition.ts";
import { type Config, nodeType } from "../node-type.ts";
import { literalSchema } from "../template.ts";

const TEXT_CHARACTERS_MAX = 500_000;
const TOOLS_MAX = 100;
const REPAIRS_MAX = 5;
export const AGENT_TURNS_MAX = 100;
export const AGENT_TURNS_DEFAULT = 10;
export const MEMORY_MESSAGES_MAX = 100;
/** Models can be slow. */
const MODEL_TIMEOUT_MS = 300_000;

const JsonSchema = (description: string) =>
  Type.Optional(literalSchema(Type.Record(Type.String(), Type.Unknown(), { description })));

/** Fields of both node types. */
const modelFields = {
  connectorId: line(100, "A connector of type `openai`, `anthropic` or `gemini`"),
  model: line(300),
};
const answerFields = {
  schema: JsonSchema("JSON Schema of the response. The response is then in `object`"),
  repair: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: REPAIRS_MAX,
      default: 2,
      description: "How often to ask the model again if its response does not match the schema",
    }),
  ),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  maxTokens: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: "Maximum number of tokens in one response",
    }),
  ),
  stream: Type.Optional(
    literalSchema(
      Type.Boolean({
        default: true,
        description: "Streams the text, so that people who view the run can read it immediately",
      }),
    ),
  ),
};

const Files = Type.Optional(
  Type.Array(Type.Unknown({ description: "A file, `{ url }`, or `{ mediaType, data }`" }), {
    maxItems: 20,
    description: "Images for the model",
  }),
);

const Usage = Type.Object({
  inputTokens: Type.Integer(),
  outputTokens: Type.Integer(),
  cachedTokens: Type.Integer(),
});

/** Returns the output schema of a model node. */
function answerOutput({ schema }: Config, more: Record<string, TSchema>) {
  return Type.Object({
    text: Type.String(),
    ...(schema !== undefined && { object: Type.Unsafe(Object(schema) as object) }),
    usage: Usage,
    cost: Type.Unknown({ description: "In US dollars. Null if unknown" }),
    model: Type.String(),
    ...more,
  });
}

const answerHints = {
  schema: {
    title: "Response schema",
    example: { type: "object", properties: { topic: { type: "string" } }, required: ["topic"] },
  },
  repair: { title: "Retries for the schema" },
  temperature: { title: "Temperature" },
  maxTokens: { title: "Maximum response tokens" },
  stream: { title: "Live text" },
} as const;

export const llm = nodeType({
  type: "llm",
  summary: "Sends a prompt to a language model. Returns text, or an object that matches a schema",
  config: object({
    ...modelFields,
    system: Type.Optional(text(TEXT_CHARACTERS_MAX)),
    prompt: Type.Optional(Type.Unknown({ description: "A string. Other values are sent as JSON" })),
    messages: Type.Optional(
      Type.Array(
        object({
          role: Type.Enum(["user", "assistant"]),
          content: text(TEXT_CHARACTERS_MAX),
        }),
        { maxItems: 500, description: "Earlier messages, before the prompt" },
      ),
    ),
    files: Files,
    chunks: Type.Optional(
      object({
        characters: Type.Integer({
          minimum: 500,
          maximum: 400_000,
          description:
            "Longer prompts are split into chunks of this number of characters. The model is asked about each chunk, and then about the combined responses",
        }),
        overlap: Type.Optional(
          Type.Integer({ minimum: 0, maximum: 10_000, description: "Default: none" }),
        ),
        combine: Type.Optional(
          text(TEXT_CHARACTERS_MAX, "Instructions for combining the responses. Default: `system`"),
        ),
      }),
    ),
    ...answerFields,
  }),
  form: {
    title: "Ask a model",
    group: "AI",
    icon: "sparkles",
    first: { connectorId: "", model: "", prompt: "" },
    fields: {
      connectorId: { title: "Connector", reference: "connector" },
      model: { title: "Model", placeholder: "gpt-4.1-mini", reference: "model" },
      system: {
        title: "Instructions",
        placeholder: "You sort requests by topic.",
        multiline: true,
      },
      prompt: { title: "Prompt", placeholder: "{{ trigger.input.text }}", multiline: true },
      messages: {
        title: "Messages",
        example: [{ role: "user", content: "{{ trigger.input.text }}" }],
      },
      files: { title: "Images", example: ["{{ steps.read.output.file }}"] },
      chunks: { title: "Chunks of a long prompt", example: { characters: 12_000 } },
      ...answerHints,
    },
  },
  output: (config) => answerOutput(config, { finish: Type.String() }),
  branches: "none",
  effect: "outside",
  inside: true,
  timeoutMs: MODEL_TIMEOUT_MS,
  check: ({ prompt, messages, files, chunks }) => [
    ...(prompt === undefined && messages === undefined
      ? [{ path: "/prompt", message: "is required without messages" }]
      : []),
    ...(chunks !== undefined && (messages !== undefined || files !== undefined)
      ? [{ path: "/chunks", message: "can only be used with a prompt" }]
      : []),
  ],
});

/** A tool: any node, whose templates see the model arguments as `call.arguments`. */
export const AgentTool = object({
  name: Type.String({ pattern: NODE_ID, description: "Name of the tool for the model" }),
  description: Type.Optional(text(4_000, "Description of the tool and its use, for the model")),
  parameters: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        "JSON Schema of the arguments. Default: the input of the workflow or connector action",
    }),
  ),
  approval: Type.Optional(
    Type.Boolean({ description: "Whether a person must approve each call; see `approvers`" }),
  ),
  type: line(100, "Type of the node that performs the call"),
  config: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "Configuration of the node. Templates can use `call.arguments`",
    }),
  ),
  retry: Type.Optional(Retry),
  timeoutMs: Type.Optional(
    Type.Integer({ minimum: 1, maximum: DURATION_MS_MAX, description: "Timeout of each attempt" }),
  ),
});

const McpServer = object({
  connectorId: line(100, "A connector of type `mcp`"),
  tools: Type.Optional(
    Type.Array(line(200), { maxItems: TOOLS_MAX, description: "Tool names. Default: all" }),
  ),
  approval: Type.Optional(Type.Boolean({ description: "Whether a person must approve each call" })),
});

export const agent = nodeType({
  type: "agent",
  summary:
    "Lets a language model use tools until it has a response. Each turn and each tool call is a step",
  config: object({
    ...modelFields,
    instructions: Type.Optional(text(TEXT_CHARACTERS_MAX)),
    prompt: Type.Unknown({ description: "A string. Other values are sent as JSON" }),
    files: Files,
    tools: Type.Optional(literalSchema(Type.Array(AgentTool, { maxItems: TOOLS_MAX }))),
    mcp: Type.Optional(literalSchema(Type.Array(McpServer, { maxItems: 10 }))),
    memory: Type.Optional(
      object({
        key: line(500, "Key of a conversation. Agents with the same key share its messages"),
        window: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: MEMORY_MESSAGES_MAX,
            default: 20,
            description: "Maximum number of earlier messages for the model",
          }),
        ),
      }),
    ),
    ...answerFields,
    maxTurns: Type.Optional(
      literalSchema(
        Type.Integer({
          minimum: 1,
          maximum: AGENT_TURNS_MAX,
          default: AGENT_TURNS_DEFAULT,
          description: "Maximum number of model requests. The last one must return a response",
        }),
      ),
    ),
    maxTotalTokens: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100_000_000, description: "For all turns together" }),
    ),
    maxCost: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1_000_000, description: "In US dollars" }),
    ),
    maxMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: DURATION_MS_MAX,
        description: "Since the start of the agent",
      }),
    ),
    concurrency: Type.Optional(
      literalSchema(
        Type.Integer({
          minimum: 1,
          maximum: LOOP_CONCURRENCY_MAX,
          default: 4,
          description: "Maximum number of concurrent tool calls in one turn",
        }),
      ),
    ),
    approvers: Type.Optional(
      literalSchema(
        Type.Array(line(200), {
          minItems: 1,
          maxItems: 100,
          description: "Ids of users and roles. Default: `owner`",
        }),
      ),
    ),
    approvalExpiresMs: Type.Optional(
      literalSchema(Type.Integer({ minimum: 1, maximum: DURATION_MS_MAX })),
    ),
  }),
  form: {
    title: "Agent",
    group: "AI",
    icon: "bot",
    first: { connectorId: "", model: "", instructions: "", prompt: "", tools: [] },
    fields: {
      connectorId: { title: "Connector", reference: "connector" },
      model: { title: "Model", placeholder: "gpt-4.1-mini", reference: "model" },
      instructions: {
        title: "Instructions",
        placeholder: "You help customers with their orders.",
        multiline: true,
      },
      prompt: { title: "Prompt", placeholder: "{{ trigger.input.text }}", multiline: true },
      tools: { title: "Tools" },
      mcp: { title: "MCP servers", example: [{ connectorId: "" }] },
      memory: { title: "Memory", example: { key: "{{ trigger.input.customer }}", window: 20 } },
      files: { title: "Images", example: ["{{ steps.read.output.file }}"] },
      approvers: { title: "Approvers of tool calls", reference: "approver" },
      approvalExpiresMs: { title: "Approval timeout", unit: "ms" },
      maxTurns: { title: "Maximum turns" },
      maxTotalTokens: { title: "Maximum tokens" },
      maxCost: { title: "Maximum cost", unit: "USD" },
      maxMs: { title: "Time limit", unit: "ms" },
      concurrency: { title: "Concurrent calls" },
      ...answerHints,
    },
  },
  output: (config) => answerOutput(config, { turns: Type.Unknown(), toolCalls: Type.Unknown() }),
  branches: "none",
  effect: "pure",
  inside: true,
  iterates: true,
  repeats: true,
  plans: planAgent,
  check: checkToolNames,
});

function checkToolNames({ tools }: Config): FieldError[] {
  const names = (Array.isArray(tools) ? tools : []).map((tool) => (Object(tool) as Config)["name"]);
  return names.flatMap((name, index) =>
    names.indexOf(name) < index
      ? [{ path: `/tools/${index}/name`, message: "is also the name of another tool" }]
      : [],
  );
}

const plannedForm = { group: "AI", icon: "bot", first: {} } as const;
const Names = literalSchema(Type.Array(Type.String()));

/** Calls the model with all earlier messages. */
export const agentTurn = nodeType({
  type: "agent_turn",
  summary: "Sends a request to the model of an agent",
  config: object({}),
  form: { ...plannedForm, title: "Turn", fields: {} },
  output: Type.Unknown(),
  branches: "none",
  effect: "outside",
  replays: true,
  inside: true,
  timeoutMs: MODEL_TIMEOUT_MS,
});

/** Waits for the approval of a tool call, if required. */
export const agentApproval = nodeType({
  type: "agent_approval",
  summary: "Requests approval of a tool call",
  config: object({
    names: Names,
    servers: Names,
    approvers: literalSchema(Type.Array(Type.String())),
    expiresMs: Type.Optional(literalSchema(Type.Integer())),
  }),
  form: {
    ...plannedForm,
    title: "Approval",
    fields: {
      names: { title: "Tools" },
      servers: { title: "Servers" },
      approvers: { title: "Approvers" },
      expiresMs: { title: "Expires after" },
    },
  },
  output: Type.Unknown(),
  branches: ["approved", "rejected"],
  effect: "wait",
});

/** Selects the tool of a call; `refused` if it cannot be executed. */
export const agentDispatch = nodeType({
  type: "agent_dispatch",
  summary: "Selects the tool of a call",
  config: object({ names: Names }),
  form: { ...plannedForm, title: "Tool", fields: { names: { title: "Tools" } } },
  output: Type.Unknown(),
  branches: ({ names }) => [...(names as readonly string[]), "mcp", "refused"],
  effect: "pure",
});

/** Converts the result or the error of a tool to a message for the model. */
export const agentAnswer = nodeType({
  type: "agent_answer",
  summary: "Returns the result of a tool call to the model",
  config: object({}),
  form: { ...plannedForm, title: "Result", fields: {} },
  output: Type.Unknown(),
  branches: "none",
  effect: "pure",
});

/** Ends an iteration. The agent is done if the model requested no tool. */
export const agentCheck = nodeType({
  type: "agent_check",
  summary: "Ends a turn of an agent",
  config: object({}),
  form: { ...plannedForm, title: "Until", fields: {} },
  output: Type.Object({ done: Type.Boolean(), state: Type.Unknown() }),
  branches: "none",
  effect: "pure",
});

/** The step types that only plans use. */
export const agentSteps = [agentTurn, agentApproval, agentDispatch, agentAnswer, agentCheck];
