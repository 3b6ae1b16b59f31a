import Type from "typebox";
import { auditWorkspaces } from "#domains/identity/accounts/index.ts";
import { requireSession, SessionRequired } from "#domains/identity/mfa/index.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageQuery, toPage } from "#kernel/operation/pagination.ts";
import { item, noContent, page } from "#kernel/operation/response.ts";
import { id, nullable, object, Time } from "#kernel/schema/schema.ts";
import { SessionRevoked, SessionsRevoked } from "./events.ts";
import * as store from "./store.ts";

const LIST = "sessions, newest first";

export const OpenSession = Type.Object(
  {
    id: id("ses"),
    createdAt: Time,
    lastUsedAt: nullable(Time),
    expiresAt: Time,
    address: Type.String({ description: "IP address at the sign-in. Empty for old sessions" }),
    client: Type.String({ description: "User agent of the browser or program" }),
    workspaceId: Type.Optional(
      id("ws", "The only workspace of the session, if it was created by single sign-on"),
    ),
    current: Type.Boolean({ description: "Whether it is the current session" }),
  },
  { title: "OpenSession" },
);

/** Sessions belong to the person: tokens can neither list nor end them. */
const ownAccess = { access: "account", allowBeforeEnrolment: true } as const;

export const listSessions = query({
  id: "auth.list_sessions",
  route: "GET /api/v1/auth/sessions",
  summary: "List your open sessions, newest first",
  ...ownAccess,
  query: object(pageQuery),
  response: page(OpenSession),
  fails: [SessionRequired],
  async run({ tx, now, caller, services }, { query: { limit, after } }) {
    const { id: current, user } = requireSession(caller);
    const before =
      after === undefined ? undefined : String(services.cursors.decode(LIST, after)[0]);
    const rows = await store.listOpen(tx, user.id, now, { before, limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (row) => ({ ...row, current: row.id === current }),
      (row) => services.cursors.encode(LIST, [row.id]),
    );
  },
});

export const revokeSession = command({
  id: "auth.revoke_session",
  route: "DELETE /api/v1/auth/sessions/{id}",
  allowInMaintenance: true,
  summary: "Revoke one of your sessions",
  description: "Open requests and streams of the session end within half a second.",
  ...ownAccess,
  params: object({ id: id("ses") }),
  response: noContent(),
  emits: [SessionRevoked],
  fails: [SessionRequired],
  example: { params: { id: "ses_01jd0000000000000000000000" } },
  async run(ctx, { params }) {
    const { user } = requireSession(ctx.caller);
    // A session starts and ends, but is never changed.
    ctx.expectRevision(1);
    if (!(await store.deleteOwnSession(ctx.tx, user.id, params.id))) throw new Failure(NotFound);
    const data = { sessionId: params.id, userId: user.id };
    emitToOwn(ctx, () => ctx.emit(SessionRevoked, { id: params.id, displayName: user.name }, data));
  },
});

export const revokeOtherSessions = command({
  id: "auth.revoke_other_sessions",
  route: "POST /api/v1/auth/sessions/revoke-others",
  allowInMaintenance: true,
  summary: "Revoke all your other sessions",
  ...ownAccess,
  response: item(Type.Object({ revoked: Type.Integer() }, { title: "RevokedSessions" })),
  emits: [SessionsRevoked],
  fails: [SessionRequired],
  async run(ctx) {
    const { id: current, user } = requireSession(ctx.caller);
    const revoked = await store.deleteSessions(ctx.tx, user.id, current);
    const data = { userId: user.id, revoked };
    emitToOwn(ctx, () => ctx.emit(SessionsRevoked, { id: user.id, displayName: user.name }, data));
    return { revoked };
  },
});

function emitToOwn(ctx: WriteContext<never>, emit: () => void): void {
  const { memberships } = requireSession(ctx.caller);
  for (const workspace of auditWorkspaces(memberships.values(), ctx.services)) {
    ctx.switchPartition({ workspace, environment: "production" });
    emit();
  }
}
