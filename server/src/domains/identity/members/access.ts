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
          "Of who belongs to other workspaces too, by what is good for this one alone: tokens, and sessions of its " +
          "single sign-on",
      }),
    ),
    sessions: Type.Integer({ description: "Open ones that are good for this workspace" }),
    tokens: Type.Integer({ description: "API tokens in this workspace that have not expired" }),
    isManaged: Type.Boolean({
      description: "The account is the workspace's own, by single sign-on",
    }),
    isShared: Type.Boolean({ description: "The person belongs to other workspaces too" }),
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
  summary: "List how the members get in: second factor, last use, open sessions and tokens",
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

/** As the system: a transaction sees only its own workspace. */
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
  summary: "List the open sessions of a member that are this workspace's to end, newest first",
  description:
    "All of them where the person belongs to no other workspace; else those that its single sign-on began.",
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
  summary: "End the sessions of a member at once",
  description:
    "Those that `users.list_sessions` lists: a person who belongs to other workspaces keeps what is good there. " +
    "Only an owner ends an owner's, by a session of their own.",
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
