import { executor, StepFailure, type StepTools } from "#domains/runs/index.ts";
import { agentTurn } from "#domains/workflows/index.ts";
import {
  type Agent,
  agentOf,
  type OfferedTool,
  toMessages,
  type TurnOutput,
} from "./agent-history.ts";
import { checkCalls, listTools } from "./agent-tools.ts";
import { addSpent, askModel } from "./ask-model.ts";
import {
  MemoriesRead,
  MESSAGE_CHARACTERS_MAX,
  MESSAGES_MAX,
  type MemoryMessage,
} from "./memory/memory.ts";
import { readMemory } from "./memory/store.ts";
import { toPromptText } from "./prompt.ts";

const REPAIRS_DEFAULT = 2;
const WINDOW_DEFAULT = 20;

/**
 * One turn of an agent: sends the entire history from the journal to the model. Its tool calls are the output,
 * which later steps execute; without any, the text is the answer.
 */
export const agentTurnStep = executor({
  type: agentTurn,
  async run(_config, tools) {
    const agent = agentOf(tools);
    checkLimits(agent, tools);
    const { config, turn, before } = agent;
    const first = before[0]?.reply;
    const offered = first?.tools ?? (await listTools(tools, config));
    const remembered = first?.remembered ?? (await readRemembered(agent, tools));
    const answer = await ask(tools, agent, { offered, remembered });
    const calls = checkCalls(answer.calls, offered);
    const isLast = turn + 1 >= agent.maxTurns;
    if (isLast && calls.length > 0) throw exhaustionFailure(agent.maxTurns);
    if (calls.length === 0) await remember(tools, agent, answer.text);
    const output: TurnOutput = {
      ...answer,
      calls,
      ...(turn === 0 && offered.length > 0 && { tools: offered }),
      ...(turn === 0 && remembered.length > 0 && { remembered }),
    };
    // The first turn has read tools and memory, which may differ when it is repeated.
    return { output, isReplayable: turn > 0 };
  },
});

async function ask(
  tools: StepTools,
  agent: Agent,
  known: {
    readonly offered: readonly OfferedTool[];
    readonly remembered: readonly MemoryMessage[];
  },
) {
  const { config, turn, maxTurns } = agent;
  const { connectorId, model, instructions, schema, temperature, maxTokens } = config;
  const offers = known.offered.map(({ name, description, parameters }) => ({
    name,
    ...(description !== undefined && { description }),
    parameters,
  }));
  return askModel(tools, {
    connectorId,
    stream: config.stream ?? true,
    repair: config.repair ?? REPAIRS_DEFAULT,
    input: {
      model,
      ...(instructions !== undefined && { system: instructions }),
      messages: await toMessages(tools, agent, known.remembered),
      ...(offers.length > 0 && { tools: offers }),
      ...(turn + 1 >= maxTurns && offers.length > 0 && { toolChoice: "none" as const }),
      ...(schema && { schema }),
      ...(temperature !== undefined && { temperature }),
      ...(maxTokens !== undefined && { maxTokens }),
    },
  });
}

/** Throws if the agent has reached a limit. */
function checkLimits({ config, before, startedAt }: Agent, { platform }: StepTools): void {
  const { maxTotalTokens, maxCost, maxMs } = config;
  if (maxMs !== undefined && startedAt !== undefined) {
    const tookMs = platform.clock.nowMs() - Date.parse(startedAt);
    if (tookMs > maxMs) throw limitReached("time", `${maxMs} ms`);
  }
  const [first, ...rest] = before.map(({ reply }) => reply);
  if (!first) return;
  const { usage, cost } = rest.reduce((sum, one) => addSpent(sum, one), first);
  const tokens = usage.inputTokens + usage.outputTokens;
  if (maxTotalTokens !== undefined && tokens >= maxTotalTokens) {
    throw limitReached("tokens", `${maxTotalTokens} tokens`);
  }
  if (maxCost === undefined) return;
  if (cost === null) {
    const message = "The price of the model is unknown. Set it in the connector.";
    throw new StepFailure("agent_cost_unknown", message, { retryable: false });
  }
  if (cost >= maxCost) throw limitReached("cost", `${maxCost} USD`);
}

function limitReached(what: "time" | "tokens" | "cost", limit: string): StepFailure {
  const message = `The agent reached its limit of ${what}: ${limit}.`;
  return new StepFailure(`agent_${what}_exceeded`, message, { retryable: false });
}

function exhaustionFailure(maxTurns: number): StepFailure {
  const message = `The agent did not finish within ${maxTurns} turns.`;
  return new StepFailure("agent_exhausted", message, { retryable: false });
}

async function readRemembered(
  { config }: Agent,
  { platform, run, rights }: StepTools,
): Promise<readonly MemoryMessage[]> {
  const { memory } = config;
  if (!memory) return [];
  if (!(await rights()).permissions.has(MemoriesRead.name)) {
    const message = `The user who deployed the workflow needs the permission ${MemoriesRead.name} to use agent memories.`;
    throw new StepFailure("forbidden", message, { retryable: false });
  }
  const { workspace, environment } = run;
  const found = await platform.db.read({ workspace, environment }, (tx) =>
    readMemory(tx, { key: memory.key }),
  );
  return (found?.messages ?? []).slice(-(memory.window ?? WINDOW_DEFAULT));
}

/** Saves the question and the answer once, even if the step is repeated. */
async function remember(tools: StepTools, { config }: Agent, text: string): Promise<void> {
  const { memory } = config;
  if (!memory) return;
  const reply: MemoryMessage[] = [
    { role: "user", content: toPromptText(config.prompt).slice(0, MESSAGE_CHARACTERS_MAX) },
    { role: "assistant", content: text.slice(0, MESSAGE_CHARACTERS_MAX) },
  ];
  const keep = Math.min(MESSAGES_MAX, Math.max(2, memory.window ?? WINDOW_DEFAULT));
  const body = { key: memory.key, messages: reply, keep };
  await tools.perform("agent_memories.append", { body });
}
