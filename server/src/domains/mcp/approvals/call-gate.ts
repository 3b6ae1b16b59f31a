import type { CallGate } from "#kernel/access/call-gate.ts";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { isDrastic } from "#kernel/access/drastic-call.ts";
import { ApprovalRequired, McpConnect } from "./agent-call.ts";
import { demandsAnything, demandsApproval, readPolicy } from "./policy.ts";

/** Commands by which an agent asks, takes back, or speaks the protocol, where each call is looked at by itself. */
const OWN = new Set(["mcp.serve", "agent_calls.request", "agent_calls.cancel"]);

/**
 * Holds wherever an agent's credential calls something: by the protocol, over HTTP, by an app. It is told by its
 * credential, since an app takes rights away, and lends some. An agent makes no tokens while the workspace demands
 * anything: one without `mcp:connect` would be no agent any more.
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
  // By what it was made with: a person who loses the right leaves an agent behind, and not a program without rules.
  return credential.scopes?.includes(McpConnect.name) === true;
}
