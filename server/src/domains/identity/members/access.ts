import { sql } from "kysely";
import Type from "typebox";
import { getMember } from "#domains/identity/accounts/index.ts";
import {
  deleteConfinedSessions,
  deleteSessions,
  listOpen,
  OpenSession,
  SessionsRevoked,
} from "#domains/identity/sessions/index.ts";
import { Forbidden } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageQuery, toPage } from "#kernel/operation/pagination.ts";
import { item, page } from "#kernel/operation/response.ts";
import { id, nullable, object } from "#kernel/schema/schema.ts";
import { UsersWrite } from "./invitation.ts";
import { assertMayManage, membershipsElsewhere } from "./service.ts";

const LIST = "members by id, with their access";

const MemberAccess = Type.Object(
  {
    userId: id("usr"),
    hasSecondFactor: Type.Boolean(),
    lastSeenAt: nullable(
      Type.String({
        format: "date-time",
        description:
          "Last use. For members of several workspaces, only tokens of this workspace and sessions of its single sign-on count",
      }),
    ),
    sessions: Type.Integer({ description: "Open sessions for this workspace" }),
    tokens: Type.Integer({
      description: "Number of API tokens in this workspace that have not expired",
    }),
    isManaged: Type.Boolean({
      description: "Whether the account belongs to the workspace, through single sign-on",
    }),
    isShared: Type.Boolean({ description: "Whether the user is a member of other workspaces too" }),
  },
  { title: "MemberAccess" },
);

interface AccessRow {
  readonly userId: string;
  readonly hasSecondFactor: boolean;
  readonly lastSeenAt: string | null;
  readonly sessions: number;
  readonly tokens: number;
  readonly isManaged: boolean;
}

export const listMemberAccess = query({
  id: "users.list_access",
  route: "GET /api/v1/settings/users/access",
  summary: "List sign-in data of members",
  permission: UsersWrite,
  query: object(pageQuery),
  response: page(MemberAccess),
  async prepare({ db }, _input, { workspace }) {
    const rows = await db.system<{ userId: string }>(SHARED, [workspace?.key]);
    return new Set(rows.map(({ userId }) => userId));
  },
  async run({ tx, now, services, workspace }, { query: { limit, after } }, shared) {
    const [start = ""] = after === undefined ? [] : services.cursors.decode(LIST, after);
    const { rows } = await sql<AccessRow>`
      select m.user_id as "userId", u.mfa_enrolled as "hasSecondFactor",
             greatest(s.used, t.used) as "lastSeenAt",
             coalesce(s.count, 0)::int as sessions, coalesce(t.count, 0)::int as tokens,
             u.managed_by is not null as "isManaged"
        from memberships m
        join users u on u.id = m.user_id
        left join lateral (select max(last_used_at) filter (
                                    where confined_to is not null or m.user_id <> all(${[...shared]}::text[])) as used,
                                  count(*) from sessions
                            where user_id = m.user_id and expires_at > ${now}
                              and (confined_to is null or confined_to = ${workspace.key})) s on true
        left join lateral (select max(last_used_at) as used,
                                  count(*) filter (where expires_at is null or expires_at > ${now})
                             from api_tokens where user_id = m.user_id) t on true
       where m.user_id > ${String(start)} order by m.user_id limit ${limit + 1}`.execute(tx);
    return toPage(
      rows,
      limit,
      (row) => ({ ...row, isShared: shared.has(row.userId) }),
      (row) => services.cursors.encode(LIST, [row.userId]),
    );
  },
});

/** Runs as the system, because a transaction sees only its own workspace. */
const SHARED = `
  select distinct o.user_id as "userId" from memberships m
    join memberships o on o.user_id = m.user_id and o.workspace_id <> m.workspace_id
   where m.workspace_id = $1`;

const ByUser = object({ id: id("usr") });
const example = { params: { id: "usr_01jd0000000000000000000000" } };
const SESSIONS_MAX = 100;

export const listMemberSessions = query({
  id: "users.list_sessions",
  route: "GET /api/v1/settings/users/{id}/sessions",
  summary: "List open sessions of a member, newest first",
  description:
    "Returns all sessions if the user is not a member of other workspaces; otherwise only sessions of the single sign-on of this workspace.",
  permission: UsersWrite,
  params: ByUser,
  response: item(
    Type.Object(
      { isShared: Type.Boolean(), sessions: Type.Array(OpenSession) },
      { title: "MemberSessions" },
    ),
  ),
  example,
  prepare: (platform, { params }, { workspace }) =>
    membershipsElsewhere(platform, params.id, workspace),
  async run({ tx, now, workspace, caller }, { params }, elsewhere) {
    await getMember(tx, params.id);
    const rows = await listOpen(tx, params.id, now, {
      before: undefined,
      limit: SESSIONS_MAX,
      confinedTo: elsewhere > 0 ? workspace.key : undefined,
    });
    const sessions = rows.map((row) => ({ ...row, current: row.id === caller.credential?.id }));
    return { isShared: elsewhere > 0, sessions };
  },
});

export const revokeMemberSessions = command({
  id: "users.revoke_sessions",
  effect: "drastic",
  route: "POST /api/v1/settings/users/{id}/sessions/revoke",
  summary: "Revoke the sessions of a member",
  description:
    "Revokes the sessions from `users.list_sessions`; sessions for other workspaces stay open. Only an owner can revoke sessions of an owner, in a user session.",
  permission: UsersWrite,
  params: ByUser,
  response: item(Type.Object({ revoked: Type.Integer() }, { title: "RevokedMemberSessions" })),
  emits: [SessionsRevoked],
  fails: [Forbidden],
  example,
  prepare: (platform, { params }, { workspace }) =>
    membershipsElsewhere(platform, params.id, workspace),
  async run(ctx, { params }, elsewhere) {
    const member = await getMember(ctx.tx, params.id);
    assertMayManage(ctx, member);
    const revoked =
      elsewhere > 0
        ? await deleteConfinedSessions(ctx.tx, params.id, ctx.workspace.key)
        : await deleteSessions(ctx.tx, params.id);
    const data = { userId: params.id, revoked };
    ctx.emit(SessionsRevoked, { id: params.id, displayName: member.name }, data);
    return { revoked };
  },
});
