import Type, { type Static } from "typebox";
import { permission } from "#kernel/access/permission.ts";
import { failure } from "#kernel/operation/failure.ts";
import { line, nullable, object, text, Time } from "#kernel/schema/schema.ts";
import { Trial } from "../trial/trial.ts";

const URL_CHARACTERS_MAX = 2_000;

export const PROTOCOLS = ["saml2", "oidc"] as const;
export const Protocol = Type.Enum([...PROTOCOLS]);
export type Protocol = (typeof PROTOCOLS)[number];

const attribute = (what: string) => Type.Optional(line(500, what));

/** The fields of both protocols. */
const commonFields = {
  jitProvisioning: Type.Boolean({
    description: "Makes users at their first login; false unless set",
  }),
  defaultRole: line(
    100,
    "Name or id of the role that such users get, never `owner`; `member` unless set",
  ),
  enforceSSO: Type.Boolean({
    description: "Refuses password logins of all members; false unless set",
  }),
};

const samlFields = {
  entityId: line(1_000, "saml2: our own name at the identity provider, a URL"),
  ssoUrl: line(URL_CHARACTERS_MAX, "saml2: where the identity provider takes sign-on requests"),
  certificate: line(
    20_000,
    "saml2: the identity provider's signing certificate, base64 or PEM; several PEM blocks for a change of keys",
  ),
  attributeMapping: object({
    email: attribute("Attribute with the e-mail address; without it the NameID is one"),
    firstName: attribute("Attribute with the first name"),
    lastName: attribute("Attribute with the last name"),
    role: attribute("Attribute whose value may name a role for a new user"),
  }),
  idpEntityId: line(1_000, "saml2: the identity provider's own name, checked when it is set"),
};

const oidcFields = {
  issuer: line(URL_CHARACTERS_MAX, "oidc: the identity provider's issuer"),
  clientId: line(500, "oidc: our client id at the identity provider"),
  scopes: Type.Array(line(200), {
    maxItems: 50,
    description: "oidc: `openid email profile` unless set; `openid` is always asked for",
  }),
  claimsMapping: object({
    email: attribute("Claim with the e-mail address; `email` unless set"),
    name: attribute("Claim with the name; `name` unless set"),
  }),
};

const ClientSecret = Type.String({
  minLength: 1,
  maxLength: 2_000,
  writeOnly: true,
  description: "oidc: our client secret; kept sealed and never returned",
});

/** The fields of each protocol, required and optional. */
export const FIELDS: Readonly<
  Record<Protocol, { readonly required: readonly string[]; readonly optional: readonly string[] }>
> = {
  saml2: {
    required: ["entityId", "ssoUrl", "certificate"],
    optional: ["attributeMapping", "idpEntityId"],
  },
  oidc: {
    required: ["issuer", "clientId", "clientSecret"],
    optional: ["scopes", "claimsMapping"],
  },
};

const protocolFields = {
  ...Type.Partial(Type.Object({ ...samlFields, ...oidcFields })).properties,
};

export const SsoInput = object({
  protocol: Protocol,
  ...Type.Partial(Type.Object(commonFields)).properties,
  ...protocolFields,
  clientSecret: Type.Optional(ClientSecret),
});
export type SsoInput = Static<typeof SsoInput>;

export const Configuration = Type.Object(
  {
    protocol: Protocol,
    ...commonFields,
    ...protocolFields,
    hasClientSecret: Type.Boolean(),
    loginUrl: text(URL_CHARACTERS_MAX, "Send people there to sign in"),
    acsUrl: Type.Optional(text(URL_CHARACTERS_MAX, "saml2: where the identity provider answers")),
    metadataUrl: Type.Optional(text(URL_CHARACTERS_MAX, "saml2: our metadata")),
    redirectUri: Type.Optional(
      text(URL_CHARACTERS_MAX, "oidc: where the identity provider answers"),
    ),
    test: nullable(Trial),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "SsoConfiguration" },
);

/** The configuration in events: without the certificate, which is recorded by its fingerprint. */
const { certificate: _, ...samlEventFields } = samlFields;
export const ConfigurationEventData = Type.Object({
  protocol: Protocol,
  ...commonFields,
  ...Type.Partial(Type.Object({ ...samlEventFields, ...oidcFields })).properties,
  hasClientSecret: Type.Boolean(),
  certificateFingerprints: Type.Optional(Type.Array(Type.String({ description: "SHA-256" }))),
});

export interface SamlProvider {
  readonly entityId: string;
  readonly ssoUrl: string;
  readonly certificate: string;
  readonly attributeMapping: Static<(typeof samlFields)["attributeMapping"]>;
  readonly idpEntityId?: string;
}

export interface OidcProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly scopes: string[];
  readonly claimsMapping: Static<(typeof oidcFields)["claimsMapping"]>;
}

interface SignInRules {
  readonly jitProvisioning: boolean;
  readonly defaultRole: string;
  readonly enforceSSO: boolean;
}

/** A workspace's configuration, validated and with its defaults. */
export type SsoConfiguration = SignInRules &
  (
    | { readonly protocol: "saml2"; readonly provider: SamlProvider }
    | { readonly protocol: "oidc"; readonly provider: OidcProvider }
  );

export const NotConfigured = failure(
  "sso_not_configured",
  404,
  "This workspace has no single sign-on.",
);

export const SsoUntested = failure(
  "sso_untested",
  409,
  "Test single sign-on first: nobody could sign in if it did not work.",
);

export const SsoRead = permission("sso:read", "See how people sign in by single sign-on", []);
export const SsoWrite = permission(
  "sso:write",
  "Take single sign-on away; only an owner, by a session of their own, sets it up",
  [],
);
