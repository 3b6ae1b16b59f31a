/** An agent as its journal tells it: what it was given, what the model reply, and what tools gave. */
import type { Static } from "typebox";
import type { ChatAnswer, ChatMessage, ChatTool } from "#domains/connectors/index.ts";
import type { StepTools } from "#domains/runs/index.ts";
import { agent, AGENT_TURNS_DEFAULT } from "#domains/workflows/index.ts";
import type { MemoryMessage } from "./memory/memory.ts";
import { toUserMessage } from "./prompt.ts";

export type AgentConfig = Static<typeof agent.config>;

/** A call of a tool, as the steps that carry it out see it. */
export interface PlannedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly signature?: string;
  /** Why it can't be carried out. */
  readonly problem?: string;
  /** Of a tool of an MCP server: the connector, and the name there. */
  readonly server?: string;
  readonly tool?: string;
}

/** A tool as the model is told of it. */
export type OfferedTool = ChatTool & Pick<PlannedCall, "server" | "tool">;

/** The output of a turn. */
export interface TurnOutput extends Omit<ChatAnswer, "calls"> {
  readonly calls: readonly PlannedCall[];
  readonly object?: unknown;
  /** Of the first turn: the tools that there are, and what was remembered. */
  readonly tools?: readonly OfferedTool[];
  readonly remembered?: readonly MemoryMessage[];
}

/** The result of a call, as the model is told. */
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
  // Its configuration was checked against the type's schema before it was written.
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

/** A turn's output; the stand-in of a test may say only what it wants to. */
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
