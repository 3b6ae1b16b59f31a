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
    description: "Creates users at their first sign-in. Default: false",
  }),
  defaultRole: line(100, "Name or id of the role of new users, never `owner`. Default: `member`"),
  enforceSSO: Type.Boolean({
    description: "Rejects password sign-ins of all members. Default: false",
  }),
};

const samlFields = {
  entityId: line(1_000, "saml2: entity id of this server at the identity provider, a URL"),
  ssoUrl: line(URL_CHARACTERS_MAX, "saml2: URL of the identity provider for sign-on requests"),
  certificate: line(
    20_000,
    "saml2: signing certificate of the identity provider, base64 or PEM. Use several PEM blocks to change keys",
  ),
  attributeMapping: object({
    email: attribute("Attribute with the e-mail address. Default: the NameID"),
    firstName: attribute("Attribute with the first name"),
    lastName: attribute("Attribute with the last name"),
    role: attribute("Attribute with the role of a new user"),
  }),
  idpEntityId: line(1_000, "saml2: entity id of the identity provider. Checked if it is set"),
};

const oidcFields = {
  issuer: line(URL_CHARACTERS_MAX, "oidc: issuer of the identity provider"),
  clientId: line(500, "oidc: client id at the identity provider"),
  scopes: Type.Array(line(200), {
    maxItems: 50,
    description:
      "oidc: requested scopes, always including `openid`. Default: `openid email profile`",
  }),
  claimsMapping: object({
    email: attribute("Claim with the e-mail address. Default: `email`"),
    name: attribute("Claim with the name. Default: `name`"),
  }),
};

const ClientSecret = Type.String({
  minLength: 1,
  maxLength: 2_000,
  writeOnly: true,
  description: "oidc: client secret. Encrypted and never returned",
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
    loginUrl: text(URL_CHARACTERS_MAX, "URL for users to sign in"),
    acsUrl: Type.Optional(
      text(URL_CHARACTERS_MAX, "saml2: URL for the response of the identity provider"),
    ),
    metadataUrl: Type.Optional(text(URL_CHARACTERS_MAX, "saml2: our metadata")),
    redirectUri: Type.Optional(
      text(URL_CHARACTERS_MAX, "oidc: URL for the response of the identity provider"),
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

/** A workspace's configuration, validated and with defaults. */
export type SsoConfiguration = SignInRules &
  (
    | { readonly protocol: "saml2"; readonly provider: SamlProvider }
    | { readonly protocol: "oidc"; readonly provider: OidcProvider }
  );

export const NotConfigured = failure(
  "sso_not_configured",
  404,
  "This workspace does not have single sign-on.",
);

export const SsoUntested = failure(
  "sso_untested",
  409,
  "Test single sign-on first, so that members are not locked out.",
);

export const SsoRead = permission("sso:read", "View the single sign-on configuration", []);
export const SsoWrite = permission(
  "sso:write",
  "Remove single sign-on. Only an owner can configure it, in a user session",
  [],
);
