/** The steps around the turns of an agent: its start, the approval, selection and result of calls, and its end. */
import { executor, type StepTools } from "#domains/runs/index.ts";
import {
  agent,
  agentAnswer,
  agentApproval,
  agentCheck,
  agentDispatch,
  AGENT_TURNS_DEFAULT,
  APPROVE_ID,
  MCP_ID,
} from "#domains/workflows/index.ts";
import { agentOf, type CallResult, type PlannedCall } from "./agent-history.ts";
import { addSpent } from "./ask-model.ts";

/** The limit of a tool's output that the model receives. */
const CONTENT_CHARACTERS_MAX = 60_000;
const MESSAGE_CHARACTERS_MAX = 4_000;

/** Starts an agent: its configuration is evaluated once for all turns. */
export const agentStep = executor({
  type: agent,
  run: ({ maxTurns = AGENT_TURNS_DEFAULT }) => ({ turns: maxTurns }),
});

export const agentApprovalStep = executor({
  type: agentApproval,
  run({ names, servers, approvers, expiresMs }, tools) {
    const call = callIn(tools);
    const isAsked =
      names.includes(call.name) || (call.server !== undefined && servers.includes(call.server));
    if (!isAsked || call.problem !== undefined) {
      return { output: { approved: true, asked: false }, branch: "approved" };
    }
    const given = cut(JSON.stringify(call.arguments ?? {}, null, 2), MESSAGE_CHARACTERS_MAX);
    const { platform } = tools;
    return {
      wait: {
        kind: "approval",
        approvers,
        quorum: 1,
        message: `The agent wants to call ${call.name} with\n${given}`,
        decisions: [],
        ...(expiresMs !== undefined && { untilMs: platform.clock.nowMs() + expiresMs }),
      },
    };
  },
});

/** The values that a step of a call can read. */
interface CallScope {
  readonly call?: PlannedCall;
  readonly steps: Readonly<
    Record<string, { readonly output?: unknown; readonly error?: { readonly message: string } }>
  >;
}

function scopeOf(tools: StepTools): CallScope {
  return tools.scope() as unknown as CallScope;
}

function callIn(tools: StepTools): PlannedCall {
  const { id, name, ...rest } = Object(scopeOf(tools).call) as Partial<PlannedCall>;
  return { arguments: {}, ...rest, id: String(id ?? ""), name: String(name ?? "") };
}

export const agentDispatchStep = executor({
  type: agentDispatch,
  run({ names }, tools) {
    const call = callIn(tools);
    const isRefused = call.problem !== undefined || refusalOf(scopeOf(tools)) !== undefined;
    if (isRefused) return { output: null, branch: "refused" };
    if (call.server !== undefined) return { output: call.tool ?? call.name, branch: "mcp" };
    return { output: call.name, branch: names.includes(call.name) ? call.name : "refused" };
  },
});

/** The reason why approvers rejected a call; undefined if it was approved, or needed no approval. */
function refusalOf({ steps }: CallScope): string | undefined {
  const asked = Object.hasOwn(steps, APPROVE_ID) ? steps[APPROVE_ID] : undefined;
  if (!asked) return undefined;
  if (asked.error) return "The tool call was not approved in time. It was not made.";
  const { approved, decisions = [] } = Object(asked.output) as {
    readonly approved?: boolean;
    readonly decisions?: readonly { readonly approved: boolean; readonly comment?: string }[];
  };
  // A mock in a test contains no decision.
  if (approved !== false) return undefined;
  const comment = decisions.findLast((one) => !one.approved)?.comment;
  const words = "The tool call was rejected. It was not made.";
  return comment === undefined || comment === "" ? words : `${words} Comment: ${comment}`;
}

export const agentAnswerStep = executor({
  type: agentAnswer,
  run(_config, tools) {
    const scope = scopeOf(tools);
    const call = callIn(tools);
    return { output: { id: call.id, name: call.name, ...readResult(call, scope) } };
  },
});

function readResult(call: PlannedCall, scope: CallScope): Omit<CallResult, "id" | "name"> {
  const refusal = call.problem ?? refusalOf(scope);
  if (refusal !== undefined) return { content: refusal, isError: true };
  const id = call.server === undefined ? call.name : MCP_ID;
  const done = Object.hasOwn(scope.steps, id) ? scope.steps[id] : undefined;
  if (!done) return { content: `The tool ${call.name} does not exist.`, isError: true };
  if (done.error)
    return { content: cut(`The tool call failed: ${done.error.message}`), isError: true };
  const { output } = done;
  return { content: cut(typeof output === "string" ? output : JSON.stringify(output ?? null)) };
}

/** Truncates a text and states the omitted length, so that approvers know that it is incomplete. */
function cut(text: string, charactersMax = CONTENT_CHARACTERS_MAX): string {
  if (text.length <= charactersMax) return text;
  const rest = text.length - charactersMax;
  return `${text.slice(0, charactersMax)}\n(${rest} more characters were omitted)`;
}

/** Ends a turn; a turn without calls is the last, and its text is the answer. */
export const agentCheckStep = executor({
  type: agentCheck,
  run(_config, tools) {
    const { reply, before, turn } = agentOf(tools);
    if (reply.calls.length > 0) return { output: { done: false, state: null } };
    const all = [...before.map((one) => one.reply), reply];
    const { usage, cost } = all.slice(1).reduce((sum, one) => addSpent(sum, one), all[0] ?? reply);
    const state = {
      text: reply.text,
      ...("object" in reply && { object: reply.object }),
      usage,
      cost,
      model: reply.model,
      turns: turn + 1,
      toolCalls: all.reduce((sum, { calls }) => sum + calls.length, 0),
    };
    return { output: { done: true, state } };
  },
});
