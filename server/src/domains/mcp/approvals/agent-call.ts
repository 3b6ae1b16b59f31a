/** A call of an agent that requires approval: its input, its agent, and its result. */
import Type, { type Static } from "typebox";
import { ApprovalsDecide } from "#domains/approvals/index.ts";
import { EVERYONE, permission } from "#kernel/access/permission.ts";
import { event } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, nullable, Time } from "#kernel/schema/schema.ts";

export const McpConnect = permission(
  "mcp:connect",
  "Connect an agent through the Model Context Protocol, with the other permissions of its token",
  ["builder", "agent"],
);

export const CallsRead = permission(
  "agent_calls:read",
  "See your agents, their calls, and calls that you can approve",
  EVERYONE,
  [McpConnect, ApprovalsDecide],
);

export const CALL_STATUSES = [
  "pending",
  "approved",
  "rejected",
  "expired",
  "cancelled",
  "performed",
  "failed",
] as const;

const Person = Type.Object({ id: Type.String(), name: Type.String() });

const summaryFields = {
  id: id("agc"),
  operation: Type.String(),
  summary: Type.String({ description: "Summary of the operation" }),
  environment: Type.Enum(["production", "staging", "development"]),
  status: Type.Enum([...CALL_STATUSES], {
    description: "`approved`: not performed yet. `failed`: the operation returned an error",
  }),
  agent: Type.Object({
    id: Type.String({ description: "Id of the token or consent" }),
    name: Type.String(),
    person: Person,
  }),
  decidedBy: nullable(Person),
  decidedAt: nullable(Time),
  comment: nullable(Type.String()),
  outcome: nullable(
    Type.Object({
      status: Type.Integer({ description: "HTTP status of the response" }),
      code: nullable(Type.String()),
    }),
  ),
  createdAt: Time,
  expiresAt: Time,
  finishedAt: nullable(Time),
};

/** The fields of a call in events: without arguments and result, which may be confidential. */
export const AgentCallSummary = Type.Object(summaryFields, { title: "AgentCallSummary" });
export type AgentCallSummary = Static<typeof AgentCallSummary>;

export const AgentCall = Type.Object(
  {
    ...summaryFields,
    mayDecide: Type.Boolean({ description: "True if you can decide it now" }),
    workflow: nullable(
      Type.Object(
        { id: Type.String(), name: Type.String() },
        { description: "The workflow of the call, with its current name" },
      ),
    ),
    input: Type.Record(Type.String(), Type.Unknown(), {
      description: "Path, query and body in one object, without secrets",
    }),
    preview: Type.Object(
      {
        events: Type.Array(Type.Unknown()),
        eventCount: Type.Integer(),
        changes: Type.Array(Type.Unknown()),
        leftOut: nullable(Type.String()),
      },
      { description: "Result of the dry run at the time of the request" },
    ),
    answer: Type.Unknown({
      description:
        "Response of the operation. Null before the call is performed, and for everyone except the agent and its user",
    }),
  },
  { title: "AgentCall" },
);
export type AgentCall = Static<typeof AgentCall>;

export const ApprovalRequired = failure(
  "approval_required",
  403,
  "A person must approve this call of an agent: request it with POST /api/v1/agent-calls.",
);
export const NotAnAgent = failure(
  "agent_required",
  403,
  "Agents request calls with an API token. Users approve or reject them in a session.",
);
export const CallDecided = failure("agent_call_decided", 409, "The call has already been decided.");
export const OwnAgent = failure(
  "agent_call_own",
  403,
  "You can't approve calls of your own agent. Another approver must decide.",
);
export const NotAsked = failure(
  "agent_call_not_asked",
  403,
  "You are not an approver of this call.",
);
export const AgentGone = failure(
  "agent_gone",
  409,
  "The access of the agent has ended, or its user left the workspace.",
);
export const TooManyCalls = failure(
  "too_many_agent_calls",
  409,
  "Too many calls of this agent wait for approval.",
);
export const CallTooLarge = failure(
  "agent_call_too_large",
  422,
  "A call that requires approval can have at most 256 KiB.",
);
export const NoApprovalNeeded = failure(
  "approval_not_needed",
  409,
  "This call does not require approval.",
);

const about = { resource: "agent_call", data: AgentCallSummary };

export const CallRequested = event("agent_call.requested", {
  ...about,
  summary: "An agent requested the approval of a call.",
});
export const CallApproved = event("agent_call.approved", {
  ...about,
  summary: "A call of an agent was approved.",
});
export const CallRejected = event("agent_call.rejected", {
  ...about,
  summary: "A call of an agent was rejected.",
});
export const CallCancelled = event("agent_call.cancelled", {
  ...about,
  summary: "An agent or its user cancelled a call before it was decided.",
});
export const CallExpired = event("agent_call.expired", {
  ...about,
  summary: "A call of an agent expired without a decision.",
});
export const CallPerformed = event("agent_call.performed", {
  ...about,
  summary: "An approved call of an agent was performed.",
});
export const CallFailed = event("agent_call.failed", {
  ...about,
  summary: "An approved call of an agent failed.",
});
