/** A call of an agent that requires approval: its input, its agent, and its result. */
import Type, { type Static } from "typebox";
import { ApprovalsDecide } from "#domains/approvals/index.ts";
import { EVERYONE, permission } from "#kernel/access/permission.ts";
import { event } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, nullable, Time } from "#kernel/schema/schema.ts";

export const McpConnect = permission(
  "mcp:connect",
  "Let an agent act by the Model Context Protocol, with the other permissions of its token",
  ["builder", "agent"],
);

export const CallsRead = permission(
  "agent_calls:read",
  "See agents of one's own, their calls, and those that one is asked to approve",
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
  summary: Type.String({ description: "What the operation does, in words" }),
  environment: Type.Enum(["production", "staging", "development"]),
  status: Type.Enum([...CALL_STATUSES], {
    description: "`approved` until it is performed; `failed` when the operation refused it",
  }),
  agent: Type.Object({
    id: Type.String({ description: "Of the token, or of the consent" }),
    name: Type.String(),
    person: Person,
  }),
  decidedBy: nullable(Person),
  decidedAt: nullable(Time),
  comment: nullable(Type.String()),
  outcome: nullable(
    Type.Object({
      status: Type.Integer({ description: "Of HTTP, as the operation answered" }),
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
    mayDecide: Type.Boolean({ description: "True where it waits for you" }),
    workflow: nullable(
      Type.Object(
        { id: Type.String(), name: Type.String() },
        { description: "The workflow that the call is about, by its name now" },
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
      { description: "What a dry run of the call showed when the agent asked" },
    ),
    answer: Type.Unknown({
      description: "Of the operation, for the agent and its person; null before it, and for others",
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
  "An agent asks with a token of its own, and a person decides by a session of theirs.",
);
export const CallDecided = failure("agent_call_decided", 409, "The call is decided already.");
export const OwnAgent = failure(
  "agent_call_own",
  403,
  "It is your own agent: somebody else must approve its calls.",
);
export const NotAsked = failure(
  "agent_call_not_asked",
  403,
  "The workspace lets others approve the calls of agents.",
);
export const AgentGone = failure(
  "agent_gone",
  409,
  "The agent's access has ended, or its person has left.",
);
export const TooManyCalls = failure(
  "too_many_agent_calls",
  409,
  "Too many calls of this agent wait for an answer.",
);
export const CallTooLarge = failure(
  "agent_call_too_large",
  422,
  "A call that a person is to approve has at most 256 KiB.",
);
export const NoApprovalNeeded = failure(
  "approval_not_needed",
  409,
  "The workspace demands no approval of this call.",
);

const about = { resource: "agent_call", data: AgentCallSummary };

export const CallRequested = event("agent_call.requested", {
  ...about,
  summary: "An agent asked for the approval of a call.",
});
export const CallApproved = event("agent_call.approved", {
  ...about,
  summary: "Somebody approved a call of an agent.",
});
export const CallRejected = event("agent_call.rejected", {
  ...about,
  summary: "Somebody rejected a call of an agent.",
});
export const CallCancelled = event("agent_call.cancelled", {
  ...about,
  summary: "An agent, or its person, took back a call before it was decided.",
});
export const CallExpired = event("agent_call.expired", {
  ...about,
  summary: "Nobody decided on a call of an agent in time.",
});
export const CallPerformed = event("agent_call.performed", {
  ...about,
  summary: "A call of an agent was performed as approved.",
});
export const CallFailed = event("agent_call.failed", {
  ...about,
  summary: "A call of an agent was approved, and refused when it was performed.",
});
