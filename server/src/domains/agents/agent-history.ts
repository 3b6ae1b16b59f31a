/** The history of an agent from its journal: its prompt, the model's replies, and tool results. */
import type { Static } from "typebox";
import type { ChatAnswer, ChatMessage, ChatTool } from "#domains/connectors/index.ts";
import type { StepTools } from "#domains/runs/index.ts";
import { agent, AGENT_TURNS_DEFAULT } from "#domains/workflows/index.ts";
import type { MemoryMessage } from "./memory/memory.ts";
import { toUserMessage } from "./prompt.ts";

export type AgentConfig = Static<typeof agent.config>;

/** A tool call, as seen by the steps that execute it. */
export interface PlannedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly signature?: string;
  /** Why it can't be carried out. */
  readonly problem?: string;
  /** For a tool of an MCP server: the connector, and its name there. */
  readonly server?: string;
  readonly tool?: string;
}

/** A tool as described to the model. */
export type OfferedTool = ChatTool & Pick<PlannedCall, "server" | "tool">;

/** The output of a turn. */
export interface TurnOutput extends Omit<ChatAnswer, "calls"> {
  readonly calls: readonly PlannedCall[];
  readonly object?: unknown;
  /** For the first turn: the available tools, and the memory. */
  readonly tools?: readonly OfferedTool[];
  readonly remembered?: readonly MemoryMessage[];
}

/** The result of a call, as sent to the model. */
export interface CallResult {
  readonly id: string;
  readonly name: string;
  readonly content: string;
  readonly isError?: boolean;
}

/** The agent around a step. */
export interface Agent {
  readonly config: AgentConfig;
  readonly maxTurns: number;
  readonly turn: number;
  readonly startedAt: string | undefined;
  /** The turns before this one. */
  readonly before: readonly {
    readonly reply: TurnOutput;
    readonly results: readonly CallResult[];
  }[];
  /** The turn itself, once the model answered. */
  readonly reply: TurnOutput;
}

const NO_REPLY: TurnOutput = {
  text: "",
  calls: [],
  finish: "stop",
  usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
  cost: null,
  model: "",
};

/** Reads the agent around a step from the journal. */
export function agentOf(tools: StepTools): Agent {
  const history = tools.agent();
  if (!history) throw new Error("A step of an agent is outside of one.");
  // Its configuration was validated against the type's schema before it was stored.
  const config = history.config as unknown as AgentConfig;
  const turns = history.turns.map(({ turn, results }) => ({
    reply: toTurn(turn),
    results: (Array.isArray(results) ? results : []) as readonly CallResult[],
  }));
  const { turn, startedAt } = history;
  return {
    config,
    maxTurns: config.maxTurns ?? AGENT_TURNS_DEFAULT,
    turn,
    startedAt,
    before: turns.slice(0, turn),
    reply: turns[turn]?.reply ?? NO_REPLY,
  };
}

/** The output of a turn; mocks in tests may omit fields. */
function toTurn(output: unknown): TurnOutput {
  const given = Object(output) as Partial<TurnOutput>;
  return { ...NO_REPLY, ...given, calls: Array.isArray(given.calls) ? given.calls : [] };
}

/** The conversation so far. */
export async function toMessages(
  tools: StepTools,
  { config, before }: Agent,
  remembered: readonly MemoryMessage[],
): Promise<ChatMessage[]> {
  const messages: ChatMessage[] = [
    ...remembered.filter(({ content }) => content !== ""),
    await toUserMessage(tools, config.prompt, config.files),
  ];
  for (const { reply, results } of before) {
    messages.push({
      role: "assistant",
      content: reply.text,
      calls: reply.calls.map(({ id, name, arguments: given, signature }) => ({
        id,
        name,
        arguments: given,
        ...(signature !== undefined && { signature }),
      })),
    });
    for (const { id, name, content, isError } of results) {
      messages.push({ role: "tool", callId: id, name, content, ...(isError && { isError }) });
    }
  }
  return messages;
}
