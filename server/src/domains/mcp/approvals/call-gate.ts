import type { CallGate } from "#kernel/access/call-gate.ts";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { isDrastic } from "#kernel/access/drastic-call.ts";
import { ApprovalRequired, McpConnect } from "./agent-call.ts";
import { demandsAnything, demandsApproval, readPolicy } from "./policy.ts";

/** Commands by which an agent requests, cancels, or uses the protocol; their inner calls are checked separately. */
const OWN = new Set(["mcp.serve", "agent_calls.request", "agent_calls.cancel"]);

/**
 * Applies wherever an agent's credential calls an operation: through the protocol, over HTTP, or through an app. An
 * agent is recognized by its credential, because an app limits some permissions and grants others. An agent cannot
 * create tokens while the policy demands any approvals: one without `mcp:connect` would no longer count as an
 * agent.
 */
export const agentGate: CallGate = {
  concerns: (op, caller) =>
    op.kind === "command" &&
    caller.workspace !== undefined &&
    !caller.isApproved &&
    isAgent(caller) &&
    !OWN.has(op.id),
  async assertOpen(platform, op, call) {
    const partition = { ...partitionOfCaller(call.caller), environment: "production" as const };
    const policy = await platform.db.read(partition, (tx) => readPolicy(tx));
    const isOpen = op.issuesCredential
      ? !demandsAnything(policy)
      : !(await demandsApproval(policy, op, () => isDrastic(platform, op, call)));
    if (!isOpen) throw new Failure(ApprovalRequired);
  },
};

function isAgent({ credential }: Caller): boolean {
  if (!credential || credential.kind === "session") return false;
  // By the scopes at creation: if the member loses the permission, the token still counts as an agent.
  return credential.scopes?.includes(McpConnect.name) === true;
}
