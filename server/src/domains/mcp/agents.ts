/** Agents: tokens and consents with the agent scope, their members, and their last use. */
import { sql } from "kysely";
import Type, { type Static } from "typebox";
import { getMember } from "#domains/identity/accounts/index.ts";
import { assertMayManage } from "#domains/identity/members/index.ts";
import { ConsentRevoked, revokeConsentFor } from "#domains/identity/oauth/index.ts";
import { revokeTokenFor, TokenRevoked, TokensWrite } from "#domains/identity/tokens/index.ts";
import { isInPerson, userIdOf } from "#kernel/access/caller.ts";
import { Failure, Forbidden, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageQuery, toPage } from "#kernel/operation/pagination.ts";
import { noContent, page } from "#kernel/operation/response.ts";
import { nullable, object, Time } from "#kernel/schema/schema.ts";
import { CallsRead, McpConnect } from "./approvals/agent-call.ts";
import { mayManage } from "./approvals/policy.ts";

const LIST = "agents, newest first";
const AgentId = Type.String({
  pattern: "^(?:tok|oag)_[0-9a-hjkmnp-tv-z]{26}$",
  description: "Id of a token or a consent",
});

const Agent = Type.Object(
  {
    id: AgentId,
    kind: Type.Enum(["token", "application"]),
    name: Type.String(),
    person: Type.Object({ id: Type.String(), name: Type.String(), email: Type.String() }),
    scopes: Type.Array(Type.String()),
    createdAt: Time,
    lastUsedAt: nullable(Time),
    expiresAt: nullable(Time),
    pendingCalls: Type.Integer({ description: "Number of its calls that wait for an approval" }),
    isOwn: Type.Boolean(),
  },
  { title: "Agent" },
);
type Agent = Static<typeof Agent>;

export const listAgents = query({
  id: "agents.list",
  route: "GET /api/v1/agents",
  summary: "List agents of the workspace, newest first",
  description:
    "Returns API tokens with the scope `mcp:connect`, and applications with consent: your own, or all of them if you can manage the policy.",
  permission: CallsRead,
  environmentScoped: false,
  query: object(pageQuery),
  response: page(Agent),
  async run({ tx, caller, services, now }, { query: { limit, after } }) {
    const { cursors } = services;
    const [start = ""] = after === undefined ? [] : cursors.decode(LIST, after);
    const userId = userIdOf(caller);
    const isAll = isInPerson(caller) && mayManage(caller);
    const { rows } = await sql<Agent>`
      select a.*, a.person ->> 'id' = ${userId} as "isOwn",
             (select count(*)::int from agent_calls c
               where c.credential_id = a.id and c.status = 'pending' and c.expires_at > ${now}) as "pendingCalls"
        from (
          select t.id, 'token' as kind, t.name, t.scopes, t.created_at as "createdAt",
                 t.last_used_at as "lastUsedAt", t.expires_at as "expiresAt", t.user_id,
                 jsonb_build_object('id', u.id, 'name', u.name, 'email', u.email) as person
            from api_tokens t join users u on u.id = t.user_id
           where ${McpConnect.name} = any (t.scopes)
          union all
          select g.id, 'application', p.name, g.scopes, g.created_at, s.used_at, s.expires_at, g.user_id,
                 jsonb_build_object('id', u.id, 'name', u.name, 'email', u.email)
            from oauth_grants g
            join oauth_applications p on p.client_id = g.client_id
            join users u on u.id = g.user_id
            join lateral (select max(o.created_at) as used_at, max(o.expires_at) as expires_at
                            from oauth_tokens o where o.grant_id = g.id) s on s.expires_at > ${now}
           where g.revoked_at is null and ${McpConnect.name} = any (g.scopes)) a
       where (${isAll} or a.user_id = ${userId})
         and (${String(start)} = '' or substr(a.id, 5) < ${String(start)})
       order by substr(a.id, 5) desc limit ${limit + 1}`.execute(tx);
    return toPage(
      rows,
      limit,
      (row) => row,
      ({ id }) => cursors.encode(LIST, [id.slice(4)]),
    );
  },
});

export const revokeAgent = command({
  id: "agents.revoke",
  route: "DELETE /api/v1/agents/{id}",
  summary: "Revoke the access of an agent",
  description:
    "You can revoke your own agents, and all agents if you can manage the policy; only an owner can revoke agents of an owner. Requires a user session.",
  permission: TokensWrite,
  environmentScoped: false,
  params: object({ id: AgentId }),
  response: noContent(),
  emits: [TokenRevoked, ConsentRevoked],
  fails: [Forbidden],
  example: { params: { id: "tok_01jd0000000000000000000000" } },
  async run(ctx, { params: { id } }) {
    if (!isInPerson(ctx.caller)) {
      throw new Failure(Forbidden, { detail: "This requires a user session." });
    }
    // It is given and ended, and never changed.
    ctx.expectRevision(1);
    const ended = id.startsWith("tok_")
      ? await revokeTokenFor(ctx, id)
      : await revokeConsentFor(ctx, id);
    // Thrown after the change, which rolls it back.
    if (!ended) throw new Failure(NotFound);
    if (ended.userId === userIdOf(ctx.caller)) return;
    // Agents of others are hidden from members who may only see their own.
    if (!mayManage(ctx.caller)) throw new Failure(NotFound);
    assertMayManage(ctx, await getMember(ctx.tx, ended.userId));
  },
});
