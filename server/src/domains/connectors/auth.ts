import Type, { type Static, type TObject, type TProperties } from "typebox";
import type { FieldError } from "#kernel/operation/failure.ts";
import { line, object, text } from "#kernel/schema/schema.ts";
import { isDestination } from "./destination-mark.ts";

export const AUTH_KINDS = [
  "none",
  "basic",
  "bearer",
  "api_key",
  "oauth2_client_credentials",
  "oauth2_authorization_code",
  "oauth2_jwt",
  "aws_signature",
] as const;
export type AuthKind = (typeof AUTH_KINDS)[number];

const CREDENTIAL_CHARACTERS_MAX = 16_384;

/** A text that is stored encrypted and never shown. */
export function credential(description: string) {
  return Type.String({
    maxLength: CREDENTIAL_CHARACTERS_MAX,
    writeOnly: true,
    description,
  });
}

const fields = {
  username: text(500, "For `basic`"),
  password: credential("For `basic`"),
  token: credential("For `bearer`"),
  name: line(
    200,
    "For `api_key`: name of the header or query parameter. For a path: prefix of the value",
  ),
  value: credential("For `api_key`"),
  prefix: text(100, "For `api_key`: prefix of the value, such as `Bot `"),
  in: Type.Enum(["header", "query", "path"], {
    description:
      "For `api_key`. Default: `header`. With `path`, the key is the first path segment. Example: `/bot<value>`",
  }),
  authorizeUrl: isDestination(
    line(
      2_048,
      "For `oauth2_authorization_code`: URL of the consent page. Can contain query parameters. Example: " +
        "`?access_type=offline`",
    ),
  ),
  tokenUrl: isDestination(line(2_048, "For OAuth 2")),
  clientId: line(1_000, "For OAuth 2"),
  clientSecret: credential("For OAuth 2. Omit it for a public client with consent"),
  clientAuth: Type.Enum(["basic", "body"], {
    description:
      "Client authentication method at `tokenUrl`. Default: `basic`, or `body` with consent",
  }),
  scope: line(2_000, "For OAuth 2: separated by spaces"),
  audience: line(2_000, "For OAuth 2 without consent. For `oauth2_jwt`, default: `tokenUrl`"),
  privateKey: credential("For `oauth2_jwt`: the private key of the service account, as PEM"),
  keyId: line(500, "For `oauth2_jwt`: the `kid` of the key"),
  subject: line(500, "For `oauth2_jwt`: the user to act for"),
  accessKeyId: line(200, "For `aws_signature`"),
  secretAccessKey: credential("For `aws_signature`"),
  region: line(100, "For `aws_signature`"),
  service: line(100, "For `aws_signature`. Default: `s3`"),
};
type Field = keyof typeof fields;

const KINDS: Readonly<
  Record<AuthKind, { readonly needs: readonly Field[]; readonly takes: readonly Field[] }>
> = {
  none: { needs: [], takes: [] },
  basic: { needs: ["username", "password"], takes: [] },
  bearer: { needs: ["token"], takes: [] },
  api_key: { needs: ["name", "value"], takes: ["in", "prefix"] },
  oauth2_client_credentials: {
    needs: ["tokenUrl", "clientId", "clientSecret"],
    takes: ["clientAuth", "scope", "audience"],
  },
  oauth2_authorization_code: {
    needs: ["authorizeUrl", "tokenUrl", "clientId"],
    takes: ["clientSecret", "clientAuth", "scope"],
  },
  oauth2_jwt: {
    needs: ["tokenUrl", "clientId", "privateKey"],
    takes: ["keyId", "scope", "subject", "audience"],
  },
  aws_signature: { needs: ["accessKeyId", "secretAccessKey", "region"], takes: ["service"] },
};

/** The authentication of a connector. Its fields depend on the kind. */
export const AuthSchema = Type.Object(
  { kind: Type.Enum([...AUTH_KINDS]), ...Type.Partial(Type.Object(fields)).properties },
  {
    title: "ConnectorAuth",
    additionalProperties: false,
    description:
      "Credentials can refer to secrets as `{{secrets.NAME}}`. Other values are returned as `***`; if you send `***`, the value is kept, unless the URL changes.",
  },
);
export type AuthFields = Static<typeof AuthSchema>;

/** The decrypted authentication of a connector. */
export type Auth =
  | { readonly kind: "none" }
  | { readonly kind: "basic"; readonly username: string; readonly password: string }
  | { readonly kind: "bearer"; readonly token: string }
  | {
      readonly kind: "api_key";
      readonly name: string;
      readonly value: string;
      readonly prefix?: string;
      readonly in?: "header" | "query" | "path";
    }
  | ClientCredentials
  | AuthorizationCode
  | ServiceAccount
  | AwsSignature;

export interface ServiceAccount {
  readonly kind: "oauth2_jwt";
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly privateKey: string;
  readonly keyId?: string;
  readonly scope?: string;
  readonly subject?: string;
  readonly audience?: string;
}

export interface AwsSignature {
  readonly kind: "aws_signature";
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  readonly service?: string;
}

export interface AuthorizationCode {
  readonly kind: "oauth2_authorization_code";
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly clientAuth?: "basic" | "body";
  readonly scope?: string;
}

export interface ClientCredentials {
  readonly kind: "oauth2_client_credentials";
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly clientAuth?: "basic" | "body";
  readonly scope?: string;
  readonly audience?: string;
}

/** The errors of an authentication; its kind must be allowed. */
export function authErrors(auth: AuthFields, allowed: readonly AuthKind[]): FieldError[] {
  if (!allowed.includes(auth.kind)) {
    return [{ path: "/auth/kind", message: `must be one of ${allowed.join(", ")}` }];
  }
  const { needs, takes } = KINDS[auth.kind];
  const missing = needs
    .filter((name) => auth[name] === undefined)
    .map((name) => ({ path: `/auth/${name}`, message: "is required" }));
  const surplus = Object.keys(auth)
    .filter((name) => name !== "kind" && ![...needs, ...takes].some((known) => known === name))
    .map((name) => ({ path: `/auth/${name}`, message: `is not allowed for ${auth.kind}` }));
  return [...missing, ...surplus];
}

/** The schema of a single kind, for a form. */
export function authSchemaOf(kind: AuthKind): TObject {
  const { needs, takes } = KINDS[kind];
  const pick = (names: readonly Field[]): TProperties =>
    Object.fromEntries(names.map((name) => [name, fields[name]]));
  return object({
    kind: Type.Literal(kind),
    ...pick(needs),
    ...Type.Partial(Type.Object(pick(takes))).properties,
  });
}
