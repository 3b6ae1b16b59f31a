import type { SecretUser } from "#kernel/secrets/secrets.ts";
import type { TObject, TSchema } from "typebox";
import type { Platform } from "#kernel/contract.ts";
import { open, seal } from "#kernel/access/crypto.ts";
import type { Partition } from "#kernel/db/partition.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { findSecretReferences, SECRET_NAME } from "#kernel/secrets/secret-reference.ts";
import { type Auth, AuthSchema } from "./auth.ts";
import { CredentialScrubber } from "./credential-scrubber.ts";

/** Replaces a credential in output; in input it means the stored value. */
export const MASK = "***";

export type Json = Readonly<Record<string, unknown>>;

/** The two parts of a connector that may contain credentials. */
export interface Parts {
  readonly config: Json;
  readonly auth: Json;
}

/** Credentials by the JSON pointer of their field. */
export type Credentials = Readonly<Record<string, string>>;

const SENSITIVE = /auth|cookie|token|key|secret|password|credential|signature|session/i;
/** References without other text except a scheme; they reveal no secret. */
const ONLY_REFERENCES = new RegExp(
  `^([A-Za-z]{1,20} )?(\\{\\{\\s*secrets\\.${SECRET_NAME}\\s*\\}\\})+$`,
);

/** Extracts the credentials from an input: the masked parts may be shown, the credentials are encrypted. */
export function maskCredentials(
  config: TObject,
  parts: Parts,
): { readonly masked: Parts; readonly credentials: Credentials } {
  const credentials: Record<string, string> = {};
  const masked = mapCredentials(config, parts, (value, path) => {
    if (value === "" || ONLY_REFERENCES.test(value)) return value;
    credentials[path] = value;
    return MASK;
  });
  return { masked, credentials };
}

/** Replaces masks with stored credentials; a mask without one is an error. */
export function unmaskCredentials(
  config: TObject,
  parts: Parts,
  credentials: Credentials,
): { readonly parts: Parts; readonly errors: readonly FieldError[] } {
  const errors: FieldError[] = [];
  const revealed = mapCredentials(config, parts, (value, path) => {
    if (value !== MASK) return value;
    const known = Object.hasOwn(credentials, path) ? credentials[path] : undefined;
    if (known === undefined) errors.push({ path, message: "has no stored value" });
    return known ?? value;
  });
  return { parts: revealed, errors };
}

/** Encrypts credentials as their row stores them. */
export async function sealCredentials(
  { keys }: Pick<Platform, "keys">,
  owner: { readonly workspace: string; readonly id: string },
  credentials: Credentials,
): Promise<Buffer | null> {
  if (Object.keys(credentials).length === 0) return null;
  const key = await keys.of(owner.workspace);
  return seal(key, Buffer.from(JSON.stringify(credentials)), contextOf(owner));
}

export async function decryptCredentials(
  { keys }: Pick<Platform, "keys">,
  owner: { readonly workspace: string; readonly id: string },
  sealed: Buffer | null,
): Promise<Credentials> {
  if (!sealed) return {};
  const key = await keys.of(owner.workspace);
  // Only data encrypted by `sealCredentials` is decrypted here.
  return JSON.parse(open(key, sealed, contextOf(owner)).toString()) as Credentials;
}

/** Resolves the secrets that credentials refer to, and creates a scrubber for all of them. */
export async function resolveCredentials(
  platform: Platform,
  partition: Partition,
  config: TObject,
  { parts, user }: { readonly parts: Parts; readonly user: SecretUser },
): Promise<{
  readonly config: Json;
  readonly auth: Auth;
  readonly scrubber: CredentialScrubber;
}> {
  const { value, scrubber: vault } = await platform.secrets.resolve(partition, parts, user);
  const scrubber = new CredentialScrubber(vault);
  mapCredentials(config, value, (text, path) => {
    scrubber.add(nameOf(path), text);
    return text;
  });
  // It was validated when it was saved.
  return { config: value.config, auth: value.auth as unknown as Auth, scrubber };
}

/** An error for each text that refers to a missing secret. */
export async function secretReferenceErrors(
  { secrets }: Pick<Platform, "secrets">,
  partition: Partition,
  parts: Parts,
): Promise<FieldError[]> {
  const missing = await secrets.findMissing(partition, findSecretReferences(parts));
  return missing.map((name) => ({
    path: referencePath(parts, name),
    message: `contains unknown secrets: ${name}`,
  }));
}

/** Replaces all texts that are credentials with the result of `change`. */
function mapCredentials(
  config: TObject,
  parts: Parts,
  change: (value: string, path: string) => string,
): Parts {
  const inPart = (schema: TObject, part: Json, pointer: string): Json =>
    mapFields(part, (value, name) => {
      const field = schema.properties[name];
      const path = `${pointer}/${name}`;
      if (typeof value === "string") return isCredential(field) ? change(value, path) : value;
      if (!holdsHeaders(field) || !isRecord(value)) return value;
      return mapFields(value, (text, header) =>
        typeof text === "string" && SENSITIVE.test(header)
          ? change(text, `${path}/${escape(header)}`)
          : text,
      );
    });
  return {
    config: inPart(config, parts.config, "/config"),
    auth: inPart(AuthSchema, parts.auth, "/auth"),
  };
}

/** Returns a configuration without credential headers, which are valid for one destination. */
export function omitCredentialHeaders(schema: TObject, config: Json): Json {
  return mapFields(config, (value, name) =>
    holdsHeaders(schema.properties[name]) && isRecord(value)
      ? Object.fromEntries(Object.entries(value).filter(([header]) => !SENSITIVE.test(header)))
      : value,
  );
}

function mapFields(record: Json, change: (value: unknown, name: string) => unknown): Json {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, change(value, name)]),
  );
}

export function isCredential(schema: TSchema | undefined): boolean {
  return schema !== undefined && "writeOnly" in schema && schema.writeOnly === true;
}

/** Headers with names of credentials contain some. */
export function holdsHeaders(schema: TSchema | undefined): boolean {
  return schema !== undefined && "x-headers" in schema;
}

function referencePath(value: unknown, name: string, path = ""): string {
  if (!isRecord(value)) return path;
  const [inner] = Object.entries(value).filter(([, part]) =>
    findSecretReferences(part).includes(name),
  );
  return inner ? referencePath(inner[1], name, `${path}/${escape(inner[0])}`) : path;
}

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function escape(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The name that replaces a credential in upstream output. */
function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Binds credentials to their connector: they cannot be decrypted for another one. */
function contextOf({ workspace, id }: { readonly workspace: string; readonly id: string }): string {
  return `connector ${workspace} ${id}`;
}
