import type { CallGate } from "#kernel/access/call-gate.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { effectiveEnvironment } from "../agent-operations.ts";
import { ApprovalRequired, McpConnect } from "./agent-call.ts";
import { demandsAnything, demandsApproval, readPolicy } from "./policy.ts";

/** Commands by which an agent asks, takes back, or speaks the protocol, where each call is looked at by itself. */
const OWN = new Set(["mcp.serve", "agent_calls.request", "agent_calls.cancel"]);

/**
 * Holds over HTTP what holds by the protocol. An agent makes no tokens while the workspace demands
 * anything: one without `mcp:connect` would be no agent any more.
 */
export const agentGate: CallGate = {
  concerns: (op, { credential, permissions }) =>
    op.kind === "command" &&
    credential !== undefined &&
    credential.kind !== "session" &&
    permissions.has(McpConnect.name) &&
    !OWN.has(op.id),
  async assertOpen({ db }, op, caller) {
    const partition = { ...partitionOfCaller(caller), environment: "production" as const };
    const policy = await db.read(partition, (tx) => readPolicy(tx));
    const isOpen = op.issuesCredential
      ? !demandsAnything(policy)
      : !demandsApproval(policy, op, effectiveEnvironment(op, caller.environment));
    if (!isOpen) throw new Failure(ApprovalRequired);
  },
};
