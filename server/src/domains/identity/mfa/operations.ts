import Type from "typebox";
import { RateLimited } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { noContent, item, page } from "#kernel/operation/response.ts";
import { id, line, object } from "#kernel/schema/schema.ts";
import * as events from "./events.ts";
import * as factor from "./factor.ts";
import { requireSession } from "./mfa-user.ts";
import { SecurityWrite } from "./factor.ts";
import { prepareRegistration, registerKey } from "./registration.ts";
import { accountKey } from "./second-factor.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";
import { listKeys } from "./webauthn-store.ts";

/** For sessions, including those that must enroll a second factor first. */
const accountAccess = { access: "account", allowBeforeEnrolment: true } as const;
const KEYS = "webauthn credentials";
const PROOF =
  "Requires a second factor: a TOTP or recovery code as `code`, or a WebAuthn `assertion`. Without one, the 403 contains your `methods` and the `options` for navigator.credentials.get.";
const proofEvents = [events.MfaFailed, events.RecoveryCodeUsed] as const;
const proofFailures = [
  factor.SessionRequired,
  factor.SecondFactorRequired,
  factor.NotEnrolled,
  factor.BadCode,
  RateLimited,
];
const exampleProof = { body: { code: "123456" } };

export const mfaStatus = query({
  id: "mfa.status",
  route: "GET /api/v1/auth/mfa/status",
  summary: "Get your second factors",
  ...accountAccess,
  response: item(factor.MfaStatus),
  fails: [factor.SessionRequired],
  async run({ tx, caller }) {
    const { user } = requireSession(caller);
    const factors = await store.readFactors(tx, user.id);
    return { ...factors, enforced: await store.isMfaEnforced(tx) };
  },
});

export const enrolTotp = command({
  id: "mfa.enroll_totp",
  route: "POST /api/v1/auth/mfa/totp/enroll",
  summary: "Start the setup of TOTP",
  description:
    "The secret is pending until you send a code to `totp/verify`. Calling it again replaces the secret. Codes have six digits and change every 30 seconds (SHA-1).",
  ...accountAccess,
  issuesCredential: true,
  response: item(
    Type.Object(
      {
        qrCodeUri: Type.String({ description: "`otpauth://…`, for an authenticator app" }),
        secret: Type.String({ description: "The same secret in base32, for manual entry" }),
        qrCode: Type.String({ description: "The URI as a QR code: `data:image/png;base64,…`" }),
      },
      { title: "TotpSecret" },
    ),
  ),
  emits: [events.TotpBegun],
  fails: [factor.SessionRequired, factor.TotpEnrolledAlready],
  prepare: (platform, _input, caller) => service.prepareTotp(platform, caller),
  run: (ctx, _input, secret) => service.startTotpEnrolment(ctx, secret),
});

export const verifyTotp = command({
  id: "mfa.verify_totp",
  route: "POST /api/v1/auth/mfa/totp/verify",
  summary: "Complete the setup of TOTP",
  description:
    "Codes of the previous and the next 30 seconds are also accepted; each works once. The recovery codes are shown only in this response and replace earlier ones.",
  ...accountAccess,
  body: object({ code: factor.Code }),
  issuesCredential: true,
  response: item(
    Type.Object(
      { enrolled: Type.Boolean(), recoveryCodes: factor.RecoveryCodes },
      { title: "TotpEnrolment" },
    ),
  ),
  emits: [events.TotpEnrolled, events.MfaFailed],
  fails: [
    factor.SessionRequired,
    factor.BadCode,
    factor.TotpNotBegun,
    factor.TotpEnrolledAlready,
    RateLimited,
  ],
  example: { body: { code: "123456" } },
  prepare: (platform, { body }, caller) => service.prepareEnrolment(platform, caller, body.code),
  run: (ctx, _input, pending) => service.completeTotpEnrolment(ctx, pending),
});

export const disableTotp = command({
  id: "mfa.disable_totp",
  route: "POST /api/v1/auth/mfa/totp/disable",
  summary: "Remove TOTP from your second factors",
  description: PROOF,
  ...accountAccess,
  body: object(factor.proof),
  bodyOptional: true,
  response: noContent(),
  emits: [events.TotpRemoved, ...proofEvents],
  fails: proofFailures,
  example: exampleProof,
  prepare: (platform, { body }, caller) => service.prepareProof(platform, caller, body),
  run: (ctx, _input, checkedProof) => service.removeTotp(ctx, checkedProof),
});

export const listCredentials = query({
  id: "mfa.list_webauthn",
  route: "GET /api/v1/auth/mfa/webauthn",
  summary: "List your WebAuthn credentials, oldest first",
  ...accountAccess,
  query: object(pageQuery),
  response: page(factor.Credential),
  fails: [factor.SessionRequired],
  async run({ tx, caller, services }, { query: { limit, after } }) {
    const { user } = requireSession(caller);
    const start = after === undefined ? "" : String(services.cursors.decode(KEYS, after)[0]);
    const rows = await listKeys(tx, user.id, { after: start, limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (row) => row,
      (row) => services.cursors.encode(KEYS, [row.id]),
    );
  },
});

export const registerCredential = command({
  id: "mfa.register_webauthn",
  route: "POST /api/v1/auth/mfa/webauthn/register",
  summary: "Register a WebAuthn credential",
  description:
    "Without `credential`, it returns the options for navigator.credentials.create. Send the result as `credential` within five minutes. If it is your first second factor, the response contains recovery codes, which are shown only once.",
  ...accountAccess,
  body: object({
    credential: Type.Optional(factor.Attestation),
    name: Type.Optional(line(100, "Your name for the authenticator")),
  }),
  bodyOptional: true,
  issuesCredential: true,
  response: item(
    Type.Union([
      factor.CreationOptions,
      Type.Object(
        {
          ...factor.Credential.properties,
          recoveryCodes: Type.Optional(factor.RecoveryCodes),
        },
        { title: "RegisteredWebAuthnCredential" },
      ),
    ]),
  ),
  emits: [events.WebauthnBegun, events.WebauthnRegistered, events.MfaFailed],
  fails: [
    factor.SessionRequired,
    factor.BadCredential,
    factor.CredentialRegistered,
    factor.TooManyCredentials,
  ],
  example: { body: { name: "Blue key" } },
  prepare: (platform, { body }, caller) => prepareRegistration(platform, body.credential, caller),
  run: (ctx, { body }, registration) => registerKey(ctx, body.name ?? "Security key", registration),
});

export const removeCredential = command({
  id: "mfa.remove_webauthn",
  route: "POST /api/v1/auth/mfa/webauthn/{id}/remove",
  summary: "Remove a WebAuthn credential from your second factors",
  description: PROOF,
  ...accountAccess,
  params: object({ id: id("wac") }),
  body: object(factor.proof),
  bodyOptional: true,
  response: noContent(),
  emits: [events.WebauthnRemoved, ...proofEvents],
  fails: proofFailures,
  example: { params: { id: "wac_01jd0000000000000000000000" }, ...exampleProof },
  prepare: (platform, { body }, caller) => service.prepareProof(platform, caller, body),
  run: (ctx, { params }, checkedProof) => service.removeKey(ctx, params.id, checkedProof),
});

export const renewRecoveryCodes = command({
  id: "mfa.renew_recovery_codes",
  route: "POST /api/v1/auth/mfa/recovery-codes",
  summary: "Create new recovery codes",
  description: PROOF,
  ...accountAccess,
  body: object(factor.proof),
  bodyOptional: true,
  issuesCredential: true,
  response: item(
    Type.Object({ recoveryCodes: factor.RecoveryCodes }, { title: "RenewedRecoveryCodes" }),
  ),
  emits: [events.RecoveryCodesRenewed, ...proofEvents],
  fails: proofFailures,
  example: exampleProof,
  async prepare(platform, { body }, caller) {
    const checkedProof = await service.prepareProof(platform, caller, body);
    return {
      ...checkedProof,
      codes: service.newCodes(await accountKey(platform), checkedProof.person),
    };
  },
  run: (ctx, _input, checkedProof) => service.replaceRecoveryCodes(ctx, checkedProof),
});

export const enforceMfa = command({
  id: "mfa.enforce",
  effect: "drastic",
  route: "POST /api/v1/settings/security/enforce-mfa",
  summary: "Set the enforcement of a second factor",
  description:
    "Applies immediately: for members without a second factor, all operations except its setup return 403 `mfa_enrollment_required`. API and OAuth tokens keep working.",
  permission: SecurityWrite,
  body: object({ enforced: Type.Boolean() }),
  response: item(Type.Object({ enforced: Type.Boolean() }, { title: "MfaDemand" })),
  emits: [events.MfaEnforced, events.MfaUnenforced],
  example: { body: { enforced: true } },
  async run({ tx, workspace, emit }, { body: { enforced } }) {
    await store.setMfaEnforced(tx, workspace.key, enforced);
    if (enforced) emit(events.MfaEnforced, { id: workspace.id }, { enforced });
    else emit(events.MfaUnenforced, { id: workspace.id }, { enforced });
    return { enforced };
  },
});
