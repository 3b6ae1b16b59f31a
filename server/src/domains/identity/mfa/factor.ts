import Type, { type Static } from "typebox";
import { permission } from "#kernel/access/permission.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, line, nullable, Time } from "#kernel/schema/schema.ts";

export const METHODS = ["totp", "webauthn", "recovery_code"] as const;
export type Method = (typeof METHODS)[number];

export const Code = Type.String({
  minLength: 1,
  maxLength: 20,
  description: "The six digits from the app, or a recovery code",
});

/** 1023 bytes, the longest that the standard allows, in base64url. */
const CredentialId = Type.String({ minLength: 1, maxLength: 1_364 });
const bytes = (maxLength: number) => Type.String({ minLength: 1, maxLength });
const envelope = { id: CredentialId, rawId: CredentialId, type: Type.Literal("public-key") };

/** The result of `navigator.credentials.get` by its `toJSON()`; only the used fields. */
export const Assertion = Type.Object(
  {
    ...envelope,
    response: Type.Object({
      clientDataJSON: bytes(8_192),
      authenticatorData: bytes(8_192),
      signature: bytes(8_192),
      userHandle: Type.Optional(bytes(128)),
    }),
  },
  {
    title: "WebAuthnAssertion",
    description: "`toJSON()` of the result of navigator.credentials.get",
  },
);
export type Assertion = Static<typeof Assertion>;

/** The result of `navigator.credentials.create`, likewise. */
export const Attestation = Type.Object(
  {
    ...envelope,
    response: Type.Object({
      clientDataJSON: bytes(8_192),
      attestationObject: bytes(65_536),
      transports: Type.Optional(
        Type.Array(Type.String({ pattern: "^[a-z-]{1,20}$" }), { maxItems: 10 }),
      ),
    }),
  },
  {
    title: "WebAuthnAttestation",
    description: "`toJSON()` of the result of navigator.credentials.create",
  },
);
export type Attestation = Static<typeof Attestation>;

/** Proof of a second factor: one of these. */
export const proof = { code: Type.Optional(Code), assertion: Type.Optional(Assertion) };
export interface Proof {
  readonly code?: string | undefined;
  readonly assertion?: Assertion | undefined;
}

export const MfaStatus = Type.Object(
  {
    totp: Type.Boolean({ description: "Whether TOTP is set up" }),
    webauthn: Type.Boolean({ description: "Whether a WebAuthn credential is registered" }),
    recoveryCodesLeft: Type.Integer(),
    enforced: Type.Boolean({
      description: "Whether one of your workspaces requires a second factor",
    }),
  },
  { title: "MfaStatus" },
);

export const RecoveryCodes = Type.Array(Type.String(), {
  description: "Shown only in this response. Each code works once instead of the second factor",
});

export const Credential = Type.Object(
  {
    id: id("wac"),
    name: line(100, "Your name for the authenticator"),
    createdAt: Time,
    lastUsedAt: nullable(Time),
  },
  { title: "WebAuthnCredential" },
);
export type Credential = Static<typeof Credential>;

/** For `navigator.credentials.create`, by way of `PublicKeyCredential.parseCreationOptionsFromJSON`. */
export const CreationOptions = Type.Object(
  {
    challenge: Type.String(),
    rp: Type.Object({ id: Type.Optional(Type.String()), name: Type.String() }),
    user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
    pubKeyCredParams: Type.Array(Type.Object({ type: Type.String(), alg: Type.Integer() })),
  },
  { title: "WebAuthnCreationOptions", additionalProperties: true },
);

export const SessionRequired = failure(
  "session_required",
  403,
  "This requires a user session. API tokens can't do this.",
);
export const BadCode = failure("bad_code", 422, "The second factor is wrong or already used.");
export const SecondFactorRequired = failure(
  "second_factor_required",
  403,
  "This requires a second factor. Send it as `code` or `assertion`.",
);
export const TotpEnrolledAlready = failure(
  "totp_enrolled",
  409,
  "TOTP is already set up. Disable it first.",
);
export const TotpNotBegun = failure("totp_not_begun", 409, "Start with totp/enroll.");
export const NotEnrolled = failure("mfa_not_enrolled", 409, "The second factor does not exist.");
export const BadCredential = failure(
  "bad_credential",
  422,
  "The response does not match a challenge of the last five minutes.",
);
export const CredentialRegistered = failure(
  "credential_registered",
  409,
  "This credential is already registered.",
  "webauthn_credentials_credential",
);
export const TooManyCredentials = failure(
  "too_many_credentials",
  409,
  "You have reached the limit of credentials. Remove one first.",
);

export const SecurityWrite = permission(
  "security:write",
  "Manage sign-in requirements of members",
  [],
);
