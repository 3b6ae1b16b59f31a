import Type, { type Static } from "typebox";
import { Email, MemberOf, User, toAccountEmail } from "#domains/identity/accounts/index.ts";
import { proof } from "#domains/identity/mfa/index.ts";
import { SsoRequired } from "#domains/identity/sso/enforcement/index.ts";
import type { Caller, Credential, Membership } from "#kernel/access/caller.ts";
import type { PlatformServices } from "#kernel/contract.ts";
import { Failure, Forbidden, RateLimited, Unauthenticated } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { noContent, item } from "#kernel/operation/response.ts";
import { nullable, object, Time } from "#kernel/schema/schema.ts";
import { LOGIN_EVENTS, LoggedOut } from "./events.ts";
import { checkLogin, createSession, endSession } from "./service.ts";
import { buildSessionCookie } from "./session.ts";
import { BadLogin, BadSecondFactor, MfaRequired, Session } from "./login.ts";

export const login = command({
  id: "auth.login",
  route: "POST /api/v1/auth/token",
  allowInMaintenance: true,
  summary: "Sign in with e-mail address and password",
  description:
    "Returns a session token, and sets a cookie for the same session. If the account has a second factor, send it too: a TOTP or recovery code as `code`, or a WebAuthn `assertion`. Without it, the 401 `mfa_required` contains the `methods` and the `options` for navigator.credentials.get.",
  access: "public",
  body: object({
    email: Email,
    password: Type.String({ minLength: 1, maxLength: 200 }),
    ...proof,
  }),
  response: item(Session, {
    headers: (session, settings) => ({ "set-cookie": buildSessionCookie(session, settings) }),
  }),
  emits: LOGIN_EVENTS,
  fails: [BadLogin, MfaRequired, BadSecondFactor, SsoRequired, RateLimited],
  example: { body: { email: "admin@example.com", password: "correct horse battery staple" } },
  prepare: (platform, { body }, caller) => checkLogin(platform, body, caller),
  run: (ctx, { body }, attempt) => createSession(ctx, toAccountEmail(body.email), attempt),
});

const WORKSPACES_MAX = 200;
/** A person with very many workspaces requests the permissions per workspace. */
const PERMISSIONS_SHOWN_MAX = 20;

const RoleNames = Type.Array(Type.String(), {
  description: "Display names of `roles`, in the same order; for built-in roles, their ids",
});

const WorkspaceAccess = Type.Object(
  {
    ...MemberOf.properties,
    roleNames: RoleNames,
    environments: Type.Array(Type.Enum(["production", "staging", "development"])),
    permissions: Type.Optional(
      Type.Array(Type.String(), {
        description: "Absent if there are more than 20 workspaces",
      }),
    ),
    blockedBy: Type.Optional(
      Type.String({ description: "Error code if the workspace can't be used at the moment" }),
    ),
  },
  { title: "WorkspaceAccess" },
);
type WorkspaceAccess = Static<typeof WorkspaceAccess>;

const Me = Type.Object(
  {
    user: User,
    workspace: nullable(MemberOf),
    roles: Type.Array(Type.String()),
    roleNames: RoleNames,
    permissions: Type.Array(Type.String()),
    usesPortalOnly: Type.Boolean({
      description: "True if you have only the rights of a requester. Requesters use the portal",
    }),
    authenticatedBy: Type.Enum(["session", "api_token", "oauth"]),
    workspaces: Type.Array(WorkspaceAccess, {
      description: "Workspaces of this credential by name; at most 200",
    }),
    workspaceCount: Type.Integer(),
    isOperator: Type.Boolean({ description: "Whether this session can manage the installation" }),
    sendsMail: Type.Boolean({
      description: "Whether this installation can send e-mail (`MILLRACE_SMTP_URL` is set)",
    }),
    maintenance: nullable(
      Type.Object(
        { message: Type.String(), since: Time },
        { description: "While it is active, only operators can make changes" },
      ),
    ),
  },
  { title: "Me" },
);

export const me = query({
  id: "auth.me",
  route: "GET /api/v1/auth/me",
  summary: "Get the current user and permissions",
  description:
    "With X-Workspace, the response also contains your roles and effective permissions in that workspace. `workspaces` contains the same data for each workspace. A token requires the scope `profile`.",
  access: "account",
  allowBeforeEnrolment: true,
  allowWorkspaceToken: true,
  response: item(Me),
  fails: [Forbidden],
  async run({ caller, services }) {
    const { credential, workspace: current } = caller;
    if (!credential) throw new Failure(Unauthenticated);
    const { kind, user, memberships } = credential;
    const hasProfileScope = [...memberships.values()].some(({ permissions }) =>
      permissions.has("profile"),
    );
    // A session represents the account itself; a token only within its scopes.
    if (kind !== "session" && !hasProfileScope) {
      throw new Failure(Forbidden, { detail: "This requires the scope profile." });
    }
    const member = [...memberships.values()].find(
      ({ workspace }) => workspace.key === current?.key,
    );
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
      roleNames: member ? nameRoles(member) : [],
      permissions: [...caller.permissions].toSorted(),
      usesPortalOnly: member !== undefined && holdsRequesterRights(caller, services),
      authenticatedBy: kind,
      ...listWorkspaces(credential),
      isOperator: credential.isOperator ?? false,
      sendsMail: services.mailer.available,
      maintenance: services.maintenance.state,
    };
  },
});

/** Returns whether a caller has some permissions, but none beyond those of requesters. */
function holdsRequesterRights(
  { permissions: held }: Pick<Caller, "permissions">,
  { permissions }: Pick<PlatformServices, "permissions">,
): boolean {
  const ofRequesters = new Set(
    permissions.filter(({ roles }) => roles.includes("requester")).map(({ name }) => name),
  );
  return held.size > 0 && [...held].every((name) => ofRequesters.has(name));
}

const nameRoles = ({ roles, customRoles }: Membership): string[] =>
  roles.map((role) => customRoles?.[role] ?? role);

/** The workspaces for which a credential is valid. */
function listWorkspaces({ memberships, confinedTo }: Credential) {
  const all = [...memberships.values()]
    .filter(({ workspace }) => confinedTo === undefined || workspace.key === confinedTo.key)
    .toSorted((one, other) => one.workspace.name.localeCompare(other.workspace.name, "en"));
  const isShort = all.length <= PERMISSIONS_SHOWN_MAX;
  const workspaces = all.slice(0, WORKSPACES_MAX).map((membership): WorkspaceAccess => {
    const { workspace, roles, permissions, blockedBy } = membership;
    const { id, slug, name } = workspace;
    return {
      id,
      slug,
      name,
      roles: [...roles],
      roleNames: nameRoles(membership),
      environments: ["production", "staging", "development"],
      ...(isShort && { permissions: [...permissions].toSorted() }),
      ...(blockedBy && { blockedBy: blockedBy.code }),
    };
  });
  return { workspaces, workspaceCount: all.length };
}

export const logout = command({
  id: "auth.logout",
  route: "POST /api/v1/auth/logout",
  allowInMaintenance: true,
  summary: "Sign out",
  access: "account",
  allowBeforeEnrolment: true,
  allowWorkspaceToken: true,
  response: noContent(),
  fails: [Forbidden],
  emits: [LoggedOut],
  run: (ctx) => endSession(ctx),
});
