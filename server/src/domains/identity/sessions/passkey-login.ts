import Type from "typebox";
import {
  listMemberships,
  type MembershipRow,
  toMemberOf,
} from "#domains/identity/accounts/index.ts";
import {
  Assertion,
  type CheckedPasskey,
  checkPasskey,
  insertPasskeyChallenge,
  type PasskeyOptions,
  passkeyOptions,
} from "#domains/identity/mfa/index.ts";
import { findEnforcedSso, SsoRequired } from "#domains/identity/sso/enforcement/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { Failure, RateLimited } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { LoggedIn, LoginFailed } from "./events.ts";
import { BadPasskey, Session } from "./login.ts";
import { recordLoginFailure, startSession } from "./service.ts";
import { buildSessionCookie } from "./session.ts";
import { throttleAddress } from "./throttle.ts";

const RequestOptions = Type.Object(
  { challenge: Type.String(), rpId: Type.Optional(Type.String()) },
  { title: "WebAuthnRequestOptions", additionalProperties: true },
);

export const beginPasskeyLogin = command({
  id: "auth.begin_passkey_login",
  route: "POST /api/v1/auth/passkey/options",
  allowInMaintenance: true,
  summary: "Start a sign-in with a passkey",
  description:
    "Returns the options for navigator.credentials.get, valid for five minutes and one sign-in. They do not contain a user: the browser offers the passkeys for this site.",
  access: "public",
  emits: [],
  ephemeral: true,
  response: item(RequestOptions),
  fails: [RateLimited],
  async prepare(platform, _input, { address }): Promise<PasskeyOptions> {
    throttleAddress(platform, address);
    return passkeyOptions(platform.settings);
  },
  async run(ctx, _input, options) {
    await insertPasskeyChallenge(ctx, options);
    return { ...options };
  },
});

export const passkeyLogin = command({
  id: "auth.login_by_passkey",
  route: "POST /api/v1/auth/passkey",
  allowInMaintenance: true,
  summary: "Sign in with a passkey",
  description:
    "The authenticator must have verified the user by PIN, fingerprint or face. This counts as two factors, so no password or code is required. The response is the same as for a sign-in with a password.",
  access: "public",
  body: object({ assertion: Assertion }),
  response: item(Session, {
    headers: (session, settings) => ({ "set-cookie": buildSessionCookie(session, settings) }),
  }),
  emits: [LoggedIn, LoginFailed],
  fails: [BadPasskey, SsoRequired, RateLimited],
  example: {
    body: {
      assertion: {
        id: "bm9ib2R5",
        rawId: "bm9ib2R5",
        type: "public-key",
        response: { clientDataJSON: "e30", authenticatorData: "AA", signature: "AA" },
      },
    },
  },
  prepare: (platform, { body }, caller) => prepareLogin(platform, body.assertion, caller),
  run: (ctx, _input, attempt) => completeLogin(ctx, attempt),
});

interface PasskeyAttempt {
  readonly passkey: CheckedPasskey;
  readonly memberships: readonly MembershipRow[];
  readonly loginUrl: string | undefined;
}

async function prepareLogin(
  platform: Platform,
  assertion: Assertion,
  { address, origin }: Caller,
): Promise<PasskeyAttempt> {
  throttleAddress(platform, address);
  const passkey = await checkPasskey(platform, assertion);
  // The passkey belongs to no account, so no log can record the failure.
  if (!passkey) throw new Failure(BadPasskey);
  const memberships = await listMemberships(platform.db, passkey.user.id);
  const enforced = await findEnforcedSso(platform, passkey.user.id, origin);
  return { passkey, memberships, loginUrl: enforced?.loginUrl };
}

async function completeLogin(
  ctx: WriteContext<typeof LoggedIn | typeof LoginFailed>,
  { passkey, memberships, loginUrl }: PasskeyAttempt,
) {
  const { user } = passkey;
  if (!(await passkey.consume(ctx)) || user.status !== "active") {
    return recordLoginFailure(ctx, user.email, memberships, new Failure(BadPasskey));
  }
  // Checked after the passkey, so that the response does not reveal the requirements of other people's workspaces.
  if (loginUrl !== undefined) {
    const failure = new Failure(SsoRequired, { extra: { loginUrl } });
    return recordLoginFailure(ctx, user.email, memberships, failure);
  }
  const { token, expiresAt } = await startSession(ctx, user, memberships);
  const workspaces = memberships.map((row) => toMemberOf(row));
  return { token, tokenType: "Bearer" as const, expiresAt, user, workspaces };
}
