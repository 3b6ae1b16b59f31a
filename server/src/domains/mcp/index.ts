import { ApprovalsDecide, ApprovalSubjectPoint } from "#domains/approvals/index.ts";
import { CallGatePoint } from "#kernel/access/call-gate.ts";
import { NotificationRulePoint } from "#kernel/contributions/notification-rule.ts";
import { WaitingWorkPoint } from "#kernel/contributions/waiting-work.ts";
import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import {
  CallApproved,
  CallCancelled,
  CallExpired,
  CallFailed,
  CallPerformed,
  CallRejected,
  CallRequested,
  CallsRead,
  McpConnect,
} from "./approvals/agent-call.ts";
import { listAgents, revokeAgent } from "./agents.ts";
import { approverNotification } from "./approvals/approval-plan.ts";
import { agentGate } from "./approvals/call-gate.ts";
import { callRetentionJob, callSubject, countWaitingCalls } from "./approvals/call-store.ts";
import { callUpkeep } from "./approvals/call-upkeep.ts";
import {
  approveCall,
  cancelAgentCall,
  getAgentCall,
  getPolicy,
  listCalls,
  rejectCall,
  requestAgentCall,
  setPolicy,
} from "./approvals/operations.ts";
import { performCallJob } from "./approvals/perform-call.ts";
import { PolicyUpdated, PolicyWrite } from "./approvals/policy.ts";
import { serveAgent } from "./operations.ts";

export const mcp = domain({
  name: "mcp",
  summary: "Agents that use the Model Context Protocol (MCP), within the scopes of their tokens.",
  permissions: [McpConnect, CallsRead, PolicyWrite],
  events: [
    PolicyUpdated,
    CallRequested,
    CallApproved,
    CallRejected,
    CallCancelled,
    CallExpired,
    CallPerformed,
    CallFailed,
  ],
  operations: [
    serveAgent,
    listAgents,
    revokeAgent,
    getPolicy,
    setPolicy,
    requestAgentCall,
    listCalls,
    getAgentCall,
    approveCall,
    rejectCall,
    cancelAgentCall,
  ],
  jobs: [...callUpkeep.jobs, performCallJob, callRetentionJob],
  readers: [callUpkeep.peopleReader],
  contributions: [
    contribute(CallGatePoint, agentGate),
    contribute(NotificationRulePoint, approverNotification),
    contribute(ApprovalSubjectPoint, callSubject),
    contribute(WaitingWorkPoint, {
      kind: "agentCalls",
      permission: ApprovalsDecide,
      count: countWaitingCalls,
    }),
  ],
});
