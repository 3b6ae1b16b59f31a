import Type, { type Static } from "typebox";
import { permission } from "#kernel/access/permission.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, line, nullable, Time } from "#kernel/schema/schema.ts";

export const METHODS = ["totp", "webauthn", "recovery_code"] as const;
export type Method = (typeof METHODS)[number];

export const Code = Type.String({
  minLength: 1,
  maxLength: 20,
  description: "The six digits that the app shows, or a recovery code",
});

/** 1023 bytes, the longest that the standard allows, in base64url. */
const CredentialId = Type.String({ minLength: 1, maxLength: 1_364 });
const bytes = (maxLength: number) => Type.String({ minLength: 1, maxLength });
const envelope = { id: CredentialId, rawId: CredentialId, type: Type.Literal("public-key") };

/** The result of `navigator.credentials.get` by its `toJSON()`; the fields that we use. */
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
  { title: "WebAuthnAssertion", description: "`toJSON()` of what navigator.credentials.get gave" },
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
    description: "`toJSON()` of what navigator.credentials.create gave",
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
    totp: Type.Boolean({ description: "Whether TOTP is enrolled" }),
    webauthn: Type.Boolean({ description: "Whether a WebAuthn credential is registered" }),
    recoveryCodesLeft: Type.Integer(),
    enforced: Type.Boolean({ description: "Whether a workspace of yours demands a second factor" }),
  },
  { title: "MfaStatus" },
);

export const RecoveryCodes = Type.Array(Type.String(), {
  description: "Shown this once; each works once in place of the second factor",
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
  "Only a person who is logged in may do this, not a token.",
);
export const BadCode = failure("bad_code", 422, "The second factor is wrong, or was used before.");
export const SecondFactorRequired = failure(
  "second_factor_required",
  403,
  "This needs a second factor; send it as `code` or `assertion`.",
);
export const TotpEnrolledAlready = failure(
  "totp_enrolled",
  409,
  "TOTP is enrolled already; disable it first.",
);
export const TotpNotBegun = failure("totp_not_begun", 409, "Begin with totp/enroll.");
export const NotEnrolled = failure("mfa_not_enrolled", 409, "There is no such second factor.");
export const BadCredential = failure(
  "bad_credential",
  422,
  "This is no answer to a challenge of the last five minutes.",
);
export const CredentialRegistered = failure(
  "credential_registered",
  409,
  "This credential is registered already.",
  "webauthn_credentials_credential",
);
export const TooManyCredentials = failure(
  "too_many_credentials",
  409,
  "There are as many credentials as one person may have; remove one first.",
);

export const SecurityWrite = permission(
  "security:write",
  "Decide what members must do to log in",
  [],
);
