/**
 * Workflows as tools: deployed workflows that are offered to agents, with their own schemas. A call starts a manual
 * run.
 */
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { listOfferedTools, type OfferedTool } from "#domains/workflows/index.ts";
import { findAgentOperation } from "./agent-operations.ts";
import type { AgentAnswer } from "./invoke-operation.ts";
import { isOwnTool, type PlannedCall, planOperation, type ToolItem } from "./tools.ts";

const TRIGGER = "workflows.trigger";
/** Less than the time limit of an agent's request. */
const WAIT_MS = 60_000;

/** The offered workflows in the caller's environment; empty if the caller may not run them. */
export async function listWorkflowTools(platform: Platform, caller: Caller): Promise<ToolItem[]> {
  return (await readTools(platform, caller)).map(({ name, title, description, inputSchema }) => ({
    name,
    title,
    description,
    // Other schema types are rejected when the workflow is saved.
    inputSchema: inputSchema as unknown as ToolItem["inputSchema"],
    annotations: { readOnlyHint: false, destructiveHint: false },
  }));
}

async function readTools(platform: Platform, caller: Caller): Promise<readonly OfferedTool[]> {
  if (!findAgentOperation(platform, caller, TRIGGER)) return [];
  const partition = partitionOfCaller(caller);
  const offered = await platform.db.read(partition, (tx) =>
    listOfferedTools(tx, caller.environment),
  );
  // Also built-in tools that this caller may not use: an agent could confuse the workflow with the built-in tool.
  return offered.filter(({ name }) => !isOwnTool(name));
}

/** Plans the run of the workflow that offers this tool; undefined if there is none. */
export async function planWorkflowCall(
  platform: Platform,
  caller: Caller,
  { name, args }: { readonly name: string; readonly args: Readonly<Record<string, unknown>> },
): Promise<PlannedCall | undefined> {
  const op = findAgentOperation(platform, caller, TRIGGER);
  const tool = (await readTools(platform, caller)).find((one) => one.name === name);
  if (!op || !tool) return undefined;
  const context = { platform, caller, op };
  const input = { id: tool.workflowId, triggerId: tool.triggerId, input: args };
  const waiting = planOperation(context, { ...input, wait: WAIT_MS }, {});
  const plan = planOperation(context, input, {});
  if (!("run" in plan) || !("run" in waiting)) return plan;
  // An approved call does not wait for the run.
  return { ...plan, run: async () => toToolAnswer(await waiting.run()) };
}

interface Started {
  readonly runId: string;
  readonly status: string;
  readonly output?: unknown;
  readonly error?: unknown;
}

/** The output of a completed run, or how to poll it. */
export function toToolAnswer(answer: AgentAnswer): AgentAnswer {
  if (answer.status >= 400) return answer;
  const { runId, status, output, error } = (answer.value as { readonly data: Started }).data;
  if (status === "completed") return { status: 200, value: { runId, status, output } };
  if (["failed", "cancelled"].includes(status))
    return { status: 500, value: { runId, status, error } };
  const message = "The run continues. Check it with get_run; do not start it again.";
  return { status: 202, value: { runId, status, message } };
}
