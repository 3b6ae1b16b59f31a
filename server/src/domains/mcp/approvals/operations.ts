import { sql } from "kysely";
import Type from "typebox";
import { ApprovalsDecide } from "#domains/approvals/index.ts";
import { assertInPerson } from "#kernel/access/caller.ts";
import { diffResource } from "#kernel/log/event.ts";
import { Forbidden } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageQuery, toPage } from "#kernel/operation/pagination.ts";
import { accepted, item, page } from "#kernel/operation/response.ts";
import { id, line, object, text } from "#kernel/schema/schema.ts";
import {
  AgentCall,
  AgentGone,
  CALL_STATUSES,
  CallApproved,
  CallCancelled,
  CallDecided,
  CallRejected,
  CallRequested,
  CallsRead,
  CallTooLarge,
  McpConnect,
  NoApprovalNeeded,
  NotAnAgent,
  NotAsked,
  OwnAgent,
  TooManyCalls,
} from "./agent-call.ts";
import { getCall, toCall, toCalls, toReader, visibleCalls } from "./call-store.ts";
import { cancelCall, decideCall } from "./decide-call.ts";
import {
  AgentPolicy,
  assertPolicy,
  policyFields,
  PolicyUpdated,
  PolicyWrite,
  readPolicy,
} from "./policy.ts";
import { requestCall, tryCall } from "./request-call.ts";

const ById = object({ id: id("agc") });
const example = { params: { id: "agc_01jd0000000000000000000000" } };
const LIST = "agent calls, newest first";
const shared = { environmentScoped: false } as const;

export const getPolicy = query({
  ...shared,
  id: "agent_policy.get",
  route: "GET /api/v1/agents/policy",
  summary: "Get the approval policy for agents",
  permission: CallsRead,
  response: item(AgentPolicy),
  run: ({ tx }) => readPolicy(tx),
});

export const setPolicy = command({
  ...shared,
  id: "agent_policy.set",
  effect: "drastic",
  route: "PUT /api/v1/agents/policy",
  summary: "Set the approval policy for agents",
  description:
    "An agent is an API token or an application with the scope `mcp:connect`. Calls that require approval fail over HTTP " +
    "(403 `approval_required`). The Model Context Protocol returns the id of the waiting call instead. Only a session can set the policy, not a token.",
  permission: PolicyWrite,
  body: object(policyFields),
  response: item(AgentPolicy),
  emits: [PolicyUpdated],
  fails: [Forbidden],
  example: {
    body: {
      demands: "drastic",
      operations: ["records.update"],
      permissions: ["roles:write"],
      approvers: ["admin"],
      fourEyes: true,
      expiresInHours: 24,
    },
  },
  async run(ctx, { body }) {
    assertInPerson(ctx.caller);
    assertPolicy(body, ctx.services);
    // Concurrent creations of a policy also wait for each other.
    await sql`select pg_advisory_xact_lock(hashtextextended('agent policy ' || ${ctx.workspace.key}, 0))`.execute(
      ctx.tx,
    );
    const before = await readPolicy(ctx.tx);
    ctx.expectRevision(before.revision);
    const row = {
      demands: body.demands,
      operations: body.operations,
      permissions: body.permissions,
      approvers: body.approvers,
      four_eyes: body.fourEyes,
      expires_in_hours: body.expiresInHours,
      revision: before.revision + 1,
      updated_at: ctx.now,
    };
    await ctx.tx
      .insertInto("agent_policies")
      .values(row)
      .onConflict((conflict) => conflict.column("workspace_id").doUpdateSet(row))
      .execute();
    const after = await readPolicy(ctx.tx);
    const { revision: _, ...old } = before;
    const { revision: __, ...present } = after;
    ctx.emit(PolicyUpdated, { id: ctx.workspace.id }, diffResource(old, present));
    return after;
  },
});

export const requestAgentCall = command({
  ...shared,
  id: "agent_calls.request",
  effect: "ordinary",
  route: "POST /api/v1/agent-calls",
  summary: "Request the approval of a call, as an agent",
  description:
    "A dry run checks the call first: an error of the operation is returned. An equal call that already waits is " +
    "returned. After the approval the call is performed once, with the current permissions of the agent.",
  permission: McpConnect,
  body: object({
    operation: line(200, "The id of a command"),
    input: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "Path parameters, query and body in one object",
      }),
    ),
    environment: Type.Optional(Type.Enum(["production", "staging", "development"])),
    ifMatch: Type.Optional(line(100, "Revision of the resource that you read, in quotes")),
  }),
  response: accepted(AgentCall),
  emits: [CallRequested],
  // The dry run is rolled back, and its `prepare` is skipped if it has external effects.
  allowNoop: true,
  fails: [NotAnAgent, NoApprovalNeeded, TooManyCalls, CallTooLarge],
  example: {
    body: { operation: "workflows.archive", input: { id: "wf_01jd0000000000000000000000" } },
  },
  prepare: (platform, { body }, caller) => tryCall(platform, body, caller),
  async run(ctx, _input, tried) {
    const row = await requestCall(ctx, tried);
    return toCall(ctx, row);
  },
});

export const listCalls = query({
  ...shared,
  id: "agent_calls.list",
  route: "GET /api/v1/agent-calls",
  summary: "List agent calls that required approval, newest first",
  description:
    "Returns calls of your agents, and calls that you can approve or decided. Members who can set the policy see all. An agent sees its own.",
  permission: CallsRead,
  query: object({ ...pageQuery, status: Type.Optional(Type.Enum([...CALL_STATUSES])) }),
  response: page(AgentCall),
  async run(ctx, { query: { limit, after, status } }) {
    const { cursors } = ctx.services;
    const [start = ""] = after === undefined ? [] : cursors.decode(LIST, after);
    let rows = visibleCalls(ctx.tx, toReader(ctx.caller))
      .orderBy("id", "desc")
      .limit(limit + 1);
    if (start !== "") rows = rows.where("id", "<", String(start));
    if (status !== undefined) rows = rows.where("status", "=", status);
    const found = await rows.execute();
    const calls = await toCalls(ctx, found);
    return toPage(
      calls,
      limit,
      (call) => call,
      (call) => cursors.encode(LIST, [call.id]),
    );
  },
});

export const getAgentCall = query({
  ...shared,
  id: "agent_calls.get",
  route: "GET /api/v1/agent-calls/{id}",
  summary: "Read a call of an agent that needed an approval",
  description: "`answer` contains the response of the operation, for the agent and its user.",
  permission: CallsRead,
  params: ById,
  response: item(AgentCall),
  example,
  async run(ctx, { params }) {
    const reader = toReader(ctx.caller);
    return toCall(ctx, await getCall(visibleCalls(ctx.tx, reader), params.id));
  },
});

const decision = {
  ...shared,
  permission: ApprovalsDecide,
  params: ById,
  body: object({ comment: Type.Optional(text(2_000)) }),
  bodyOptional: true,
  response: item(AgentCall),
  example: { ...example, body: { comment: "Go ahead." } },
} as const;

export const approveCall = command({
  ...decision,
  id: "agent_calls.approve",
  effect: "drastic",
  route: "POST /api/v1/agent-calls/{id}/approve",
  summary: "Approve a call of an agent, which is then performed",
  description:
    "Approvers of the policy can approve, in a session. With `fourEyes`, the user of an agent can't approve calls " +
    "of the agent. The call is performed immediately, " +
    "with the current permissions of the agent. Its events have the approval as their cause.",
  emits: [CallApproved],
  fails: [NotAnAgent, NotAsked, OwnAgent, CallDecided, AgentGone],
  async run(ctx, { params, body }) {
    const row = await decideCall(ctx as never, params.id, {
      isApproved: true,
      comment: body.comment,
    });
    return toCall(ctx, row);
  },
});

export const rejectCall = command({
  ...decision,
  id: "agent_calls.reject",
  effect: "drastic",
  route: "POST /api/v1/agent-calls/{id}/reject",
  summary: "Reject a call of an agent",
  emits: [CallRejected],
  fails: [NotAnAgent, NotAsked, OwnAgent, CallDecided],
  async run(ctx, { params, body }) {
    const row = await decideCall(ctx as never, params.id, {
      isApproved: false,
      comment: body.comment,
    });
    return toCall(ctx, row);
  },
});

export const cancelAgentCall = command({
  ...shared,
  id: "agent_calls.cancel",
  effect: "ordinary",
  route: "POST /api/v1/agent-calls/{id}/cancel",
  summary: "Cancel a call that waits for approval",
  description: "For the agent and its user.",
  permission: McpConnect,
  params: ById,
  response: item(AgentCall),
  emits: [CallCancelled],
  fails: [NotAsked, CallDecided],
  example,
  async run(ctx, { params }) {
    const row = await cancelCall(ctx, params.id);
    return toCall(ctx, row);
  },
});
