/** The node types that ask language models, and the steps of which a plan makes an agent. */
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
/** Models take their time. */
const MODEL_TIMEOUT_MS = 300_000;

const JsonSchema = (description: string) =>
  Type.Optional(literalSchema(Type.Record(Type.String(), Type.Unknown(), { description })));

/** The fields of both nodes. */
const modelFields = {
  connectorId: line(100, "A connector of type `openai`, `anthropic` or `gemini`"),
  model: line(300),
};
const answerFields = {
  schema: JsonSchema("A JSON Schema of the answer, which is then in `object`"),
  repair: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: REPAIRS_MAX,
      default: 2,
      description: "How often the model is asked again when its answer does not fit the schema",
    }),
  ),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  maxTokens: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Of one answer" }),
  ),
  stream: Type.Optional(
    literalSchema(
      Type.Boolean({
        default: true,
        description: "Asks for the text piece by piece, so that whoever looks at the run sees it",
      }),
    ),
  ),
};

const Files = Type.Optional(
  Type.Array(Type.Unknown({ description: "A file, `{ url }`, or `{ mediaType, data }`" }), {
    maxItems: 20,
    description: "Pictures that the model looks at",
  }),
);

const Usage = Type.Object({
  inputTokens: Type.Integer(),
  outputTokens: Type.Integer(),
  cachedTokens: Type.Integer(),
});

/** The output of a node that asks a model. */
function answerOutput({ schema }: Config, more: Record<string, TSchema>) {
  return Type.Object({
    text: Type.String(),
    ...(schema !== undefined && { object: Type.Unsafe(Object(schema) as object) }),
    usage: Usage,
    cost: Type.Unknown({ description: "In US dollars; null where it is not known" }),
    model: Type.String(),
    ...more,
  });
}

const answerHints = {
  schema: {
    title: "Schema of the answer",
    example: { type: "object", properties: { topic: { type: "string" } }, required: ["topic"] },
  },
  repair: { title: "Repairs" },
  temperature: { title: "Temperature" },
  maxTokens: { title: "Tokens of an answer" },
  stream: { title: "Live text" },
} as const;

export const llm = nodeType({
  type: "llm",
  summary: "Asks a language model, for a text or for an object that fits a schema",
  config: object({
    ...modelFields,
    system: Type.Optional(text(TEXT_CHARACTERS_MAX)),
    prompt: Type.Optional(
      Type.Unknown({ description: "A text; anything else is given to the model as JSON" }),
    ),
    messages: Type.Optional(
      Type.Array(
        object({
          role: Type.Enum(["user", "assistant"]),
          content: text(TEXT_CHARACTERS_MAX),
        }),
        { maxItems: 500, description: "A conversation, before the prompt if there is one" },
      ),
    ),
    files: Files,
    chunks: Type.Optional(
      object({
        characters: Type.Integer({
          minimum: 500,
          maximum: 400_000,
          description:
            "A longer prompt is asked about in parts of so many characters, and then the answers together, " +
            "until there is one",
        }),
        overlap: Type.Optional(
          Type.Integer({ minimum: 0, maximum: 10_000, description: "None unless given" }),
        ),
        combine: Type.Optional(
          text(TEXT_CHARACTERS_MAX, "Instructions for the answers; `system` unless given"),
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
      files: { title: "Pictures", example: ["{{ steps.read.output.file }}"] },
      chunks: { title: "Pieces of a long prompt", example: { characters: 12_000 } },
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
      ? [{ path: "/chunks", message: "is for a prompt alone" }]
      : []),
  ],
});

/** A tool: any node, whose templates see what the model gave as `call.arguments`. */
export const AgentTool = object({
  name: Type.String({ pattern: NODE_ID, description: "By which the model calls it" }),
  description: Type.Optional(text(4_000, "What it does and when to use it, for the model")),
  parameters: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        "A JSON Schema of the arguments; of a workflow or a connector's action their own unless given",
    }),
  ),
  approval: Type.Optional(
    Type.Boolean({ description: "A person must approve each call; see `approvers`" }),
  ),
  type: line(100, "Of the node that carries it out"),
  config: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "Of that node; its templates see `call.arguments`",
    }),
  ),
  retry: Type.Optional(Retry),
  timeoutMs: Type.Optional(
    Type.Integer({ minimum: 1, maximum: DURATION_MS_MAX, description: "Of each attempt" }),
  ),
});

const McpServer = object({
  connectorId: line(100, "A connector of type `mcp`"),
  tools: Type.Optional(
    Type.Array(line(200), { maxItems: TOOLS_MAX, description: "Names; all unless given" }),
  ),
  approval: Type.Optional(Type.Boolean({ description: "A person must approve each call" })),
});

export const agent = nodeType({
  type: "agent",
  summary:
    "Lets a language model work with tools until it has an answer; each turn and each call is a step",
  config: object({
    ...modelFields,
    instructions: Type.Optional(text(TEXT_CHARACTERS_MAX)),
    prompt: Type.Unknown({ description: "A text; anything else is given to the model as JSON" }),
    files: Files,
    tools: Type.Optional(literalSchema(Type.Array(AgentTool, { maxItems: TOOLS_MAX }))),
    mcp: Type.Optional(literalSchema(Type.Array(McpServer, { maxItems: 10 }))),
    memory: Type.Optional(
      object({
        key: line(500, "A conversation: agents with the same key remember what was said"),
        window: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: MEMORY_MESSAGES_MAX,
            default: 20,
            description: "How many of the last messages the model sees",
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
          description: "How often the model is asked at most; the last time it must answer",
        }),
      ),
    ),
    maxTotalTokens: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100_000_000, description: "Of all turns together" }),
    ),
    maxCost: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1_000_000, description: "In US dollars" }),
    ),
    maxMs: Type.Optional(
      Type.Integer({ minimum: 1, maximum: DURATION_MS_MAX, description: "From its begin on" }),
    ),
    concurrency: Type.Optional(
      literalSchema(
        Type.Integer({
          minimum: 1,
          maximum: LOOP_CONCURRENCY_MAX,
          default: 4,
          description: "How many of the calls of one turn run at a time",
        }),
      ),
    ),
    approvers: Type.Optional(
      literalSchema(
        Type.Array(line(200), {
          minItems: 1,
          maxItems: 100,
          description: "Ids of users and roles; `owner` unless given",
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
      files: { title: "Pictures", example: ["{{ steps.read.output.file }}"] },
      approvers: { title: "Approvers of calls", reference: "approver" },
      approvalExpiresMs: { title: "Approval expires after", unit: "ms" },
      maxTurns: { title: "Turns at most" },
      maxTotalTokens: { title: "Tokens at most" },
      maxCost: { title: "Cost at most", unit: "USD" },
      maxMs: { title: "Time at most", unit: "ms" },
      concurrency: { title: "Calls at a time" },
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
      ? [{ path: `/tools/${index}/name`, message: "is the name of another tool too" }]
      : [],
  );
}

const plannedForm = { group: "AI", icon: "bot", first: {} } as const;
const Names = literalSchema(Type.Array(Type.String()));

/** Asks the model, with all that was said before. */
export const agentTurn = nodeType({
  type: "agent_turn",
  summary: "Asks the model of an agent",
  config: object({}),
  form: { ...plannedForm, title: "Turn", fields: {} },
  output: Type.Unknown(),
  branches: "none",
  effect: "outside",
  replays: true,
  inside: true,
  timeoutMs: MODEL_TIMEOUT_MS,
});

/** Waits until people have approved a call, where that is asked for. */
export const agentApproval = nodeType({
  type: "agent_approval",
  summary: "Asks people to approve a call of a tool",
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

/** Chooses the tool that a call names; `refused` where it can't be carried out. */
export const agentDispatch = nodeType({
  type: "agent_dispatch",
  summary: "Chooses the tool of a call",
  config: object({ names: Names }),
  form: { ...plannedForm, title: "Tool", fields: { names: { title: "Tools" } } },
  output: Type.Unknown(),
  branches: ({ names }) => [...(names as readonly string[]), "mcp", "refused"],
  effect: "pure",
});

/** Puts what a tool gave, or why it failed, into the form that a model is told. */
export const agentAnswer = nodeType({
  type: "agent_answer",
  summary: "Gives the result of a call to the model",
  config: object({}),
  form: { ...plannedForm, title: "Result", fields: {} },
  output: Type.Unknown(),
  branches: "none",
  effect: "pure",
});

/** Ends a turn: the agent is done when the model asked for no tool. */
export const agentCheck = nodeType({
  type: "agent_check",
  summary: "Ends a turn of an agent",
  config: object({}),
  form: { ...plannedForm, title: "Until", fields: {} },
  output: Type.Object({ done: Type.Boolean(), state: Type.Unknown() }),
  branches: "none",
  effect: "pure",
});

/** The types of steps that only plans have. */
export const agentSteps = [agentTurn, agentApproval, agentDispatch, agentAnswer, agentCheck];
