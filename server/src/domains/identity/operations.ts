import Type from "typebox";
import { Failure, RateLimited, Unauthenticated } from "#kernel/failure.ts";
import { SESSION_COOKIE } from "#kernel/http/entry.ts";
import { command, query } from "#kernel/operation.ts";
import { pageOf, pageQuery } from "#kernel/page.ts";
import { nothing, one, page } from "#kernel/reply.ts";
import { nullable, object } from "#kernel/schema.ts";
import { LoggedIn, LoggedOut, LoginFailed } from "./events.ts";
import { RolesRead } from "./permissions.ts";
import { examine, logIn, logOut } from "./service.ts";
import { BadLogin, Email, MemberOf, Session, User } from "./user.ts";

export const login = command({
  id: "auth.login",
  route: "POST /api/v1/auth/token",
  summary: "Log in with e-mail and password",
  description: "The token is a session's; the same session is set as a cookie for our own pages.",
  access: "public",
  body: object({ email: Email, password: Type.String({ minLength: 1, maxLength: 200 }) }),
  reply: one(Session, {
    headers: ({ token, expiresAt }, { baseUrl }) => ({
      "set-cookie":
        `${SESSION_COOKIE}=${token}; Path=/; HttpOnly; SameSite=Lax; ` +
        `Expires=${new Date(expiresAt).toUTCString()}${baseUrl?.startsWith("https:") ? "; Secure" : ""}`,
    }),
  }),
  emits: [LoggedIn, LoginFailed],
  fails: [BadLogin, RateLimited],
  example: { body: { email: "admin@example.com", password: "correct horse battery staple" } },
  prepare: (outside, { body }, caller) => examine(outside, body, caller),
  run: (ctx, { body }, attempt) => logIn(ctx, body.email.toLowerCase(), attempt),
});

const Me = Type.Object(
  {
    user: User,
    workspace: nullable(MemberOf),
    roles: Type.Array(Type.String()),
    permissions: Type.Array(Type.String()),
    authenticatedBy: Type.Enum(["session", "api_token", "oauth"]),
  },
  { title: "Me" },
);

export const me = query({
  id: "auth.me",
  route: "GET /api/v1/auth/me",
  summary: "Read who you are, and what you may do",
  description: "With X-Workspace, also your roles and effective permissions there.",
  access: "account",
  reply: one(Me),
  async run({ caller }) {
    const { credential, workspace: at } = caller;
    if (!credential) throw new Failure(Unauthenticated);
    const { kind, user, memberships } = credential;
    const member = [...memberships.values()].find(({ workspace }) => workspace.key === at?.key);
    return {
      user: { ...user, status: "active" as const },
      workspace: member
        ? {
            id: member.workspace.id,
            slug: member.workspace.slug,
            name: member.workspace.name,
            roles: [...member.roles],
          }
        : null,
      roles: [...(member?.roles ?? [])],
      permissions: [...caller.permissions].toSorted(),
      authenticatedBy: kind,
    };
  },
});

export const logout = command({
  id: "auth.logout",
  route: "POST /api/v1/auth/logout",
  summary: "End the session at once",
  access: "account",
  reply: nothing(),
  emits: [LoggedOut],
  run: (ctx) => logOut(ctx),
});

const PermissionSchema = Type.Object(
  {
    name: Type.String(),
    summary: Type.String(),
    roles: Type.Array(Type.String(), { description: "The built-in roles that hold it" }),
  },
  { title: "Permission" },
);

export const listPermissions = query({
  id: "permissions.list",
  route: "GET /api/v1/settings/permissions",
  summary: "List every permission, with the built-in roles that hold it",
  permission: RolesRead,
  query: object({
    ...pageQuery,
    limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 1_000 }),
  }),
  reply: page(PermissionSchema),
  async run({ services }, { query: { limit, after } }) {
    const start =
      after === undefined ? "" : String(services.cursors.decode("permissions", after)[0]);
    const rows = services.permissions
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .filter(({ name }) => name > start)
      .slice(0, limit + 1);
    return pageOf(
      rows,
      limit,
      (row) => ({ ...row, roles: [...row.roles] }),
      ({ name }) => services.cursors.encode("permissions", [name]),
    );
  },
});
