import type { TObject, TSchema } from "typebox";
import type { Platform } from "#kernel/contract.ts";
import { open, seal } from "#kernel/access/crypto.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { findSecretReferences, SECRET_NAME } from "#kernel/secrets/secret-reference.ts";
import { type Auth, AuthSchema } from "./auth.ts";
import { CredentialScrubber } from "./credential-scrubber.ts";

/** Stands for a credential that is not shown; sent back, it stands for the one that there is. */
export const MASK = "***";

export type Json = Readonly<Record<string, unknown>>;

/** The two parts of a connector that may hold credentials. */
export interface Parts {
  readonly config: Json;
  readonly auth: Json;
}

/** Credentials by the JSON pointer of where they belong. */
export type Credentials = Readonly<Record<string, string>>;

const SENSITIVE = /auth|cookie|token|key|secret|password|credential|signature|session/i;
/** References with nothing around them but a scheme: they tell no secret. */
const ONLY_REFERENCES = new RegExp(
  `^([A-Za-z]{1,20} )?(\\{\\{\\s*secrets\\.${SECRET_NAME}\\s*\\}\\})+$`,
);

/** Takes the credentials out of what a caller sent: what may be shown, and what must be sealed. */
export function maskCredentials(
  config: TObject,
  parts: Parts,
): { readonly shown: Parts; readonly hidden: Credentials } {
  const hidden: Record<string, string> = {};
  const shown = mapCredentials(config, parts, (value, path) => {
    if (value === "" || ONLY_REFERENCES.test(value)) return value;
    hidden[path] = value;
    return MASK;
  });
  return { shown, hidden };
}

/** Puts credentials in the place of their masks; a mask without one is a fault. */
export function unmaskCredentials(
  config: TObject,
  parts: Parts,
  hidden: Credentials,
): { readonly parts: Parts; readonly faults: readonly FieldError[] } {
  const faults: FieldError[] = [];
  const revealed = mapCredentials(config, parts, (value, path) => {
    if (value !== MASK) return value;
    const known = Object.hasOwn(hidden, path) ? hidden[path] : undefined;
    if (known === undefined) faults.push({ path, message: "has no value to keep" });
    return known ?? value;
  });
  return { parts: revealed, faults };
}

/** Credentials as their row keeps them. */
export async function sealCredentials(
  { keys }: Pick<Platform, "keys">,
  place: { readonly workspace: string; readonly id: string },
  hidden: Credentials,
): Promise<Buffer | null> {
  if (Object.keys(hidden).length === 0) return null;
  const key = await keys.of(place.workspace);
  return seal(key, Buffer.from(JSON.stringify(hidden)), contextOf(place));
}

export async function decryptCredentials(
  { keys }: Pick<Platform, "keys">,
  place: { readonly workspace: string; readonly id: string },
  sealed: Buffer | null,
): Promise<Credentials> {
  if (!sealed) return {};
  const key = await keys.of(place.workspace);
  // Only `sealCredentials` writes what opens here.
  return JSON.parse(open(key, sealed, contextOf(place)).toString()) as Credentials;
}

/** The parts as they are used, all credentials and secrets in place, and what keeps these untold. */
export async function unlock(
  platform: Platform,
  workspace: string,
  config: TObject,
  parts: Parts,
): Promise<{
  readonly config: Json;
  readonly auth: Auth;
  readonly discretion: CredentialScrubber;
}> {
  const { value, scrubber } = await platform.secrets.resolve(workspace, parts);
  const discretion = new CredentialScrubber(scrubber);
  mapCredentials(config, value, (text, path) => {
    discretion.keep(nameOf(path), text);
    return text;
  });
  // What is stored was checked when it was saved.
  return { config: value.config, auth: value.auth as unknown as Auth, discretion };
}

/** A fault for each text that refers to a secret which does not exist. */
export async function faultsOfReferences(
  { secrets }: Pick<Platform, "secrets">,
  workspace: string,
  parts: Parts,
): Promise<FieldError[]> {
  const missing = await secrets.findMissing(workspace, findSecretReferences(parts));
  return missing.map((name) => ({
    path: pathOfReference(parts, name),
    message: `refers to no secret: ${name}`,
  }));
}

/** Calls `change` for every text that is a credential, and gives the parts with what it returns. */
function mapCredentials(
  config: TObject,
  parts: Parts,
  change: (value: string, path: string) => string,
): Parts {
  const inPart = (schema: TObject, part: Json, place: string): Json =>
    mapFields(part, (value, name) => {
      const about = schema.properties[name];
      const path = `${place}/${name}`;
      if (typeof value === "string") return isCredential(about) ? change(value, path) : value;
      if (!holdsHeaders(about) || !isRecord(value)) return value;
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

function mapFields(record: Json, change: (value: unknown, name: string) => unknown): Json {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, change(value, name)]),
  );
}

function isCredential(schema: TSchema | undefined): boolean {
  return schema !== undefined && "writeOnly" in schema && schema.writeOnly === true;
}

/** Of headers, those whose names speak of credentials hold some. */
function holdsHeaders(schema: TSchema | undefined): boolean {
  return schema !== undefined && "x-headers" in schema;
}

function pathOfReference(value: unknown, name: string, path = ""): string {
  if (!isRecord(value)) return path;
  const [inner] = Object.entries(value).filter(([, part]) =>
    findSecretReferences(part).includes(name),
  );
  return inner ? pathOfReference(inner[1], name, `${path}/${escape(inner[0])}`) : path;
}

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function escape(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** What stands in the place of a credential that an upstream repeats. */
function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Binds credentials to their connector: moved to another they do not open. */
function contextOf({ workspace, id }: { readonly workspace: string; readonly id: string }): string {
  return `connector ${workspace} ${id}`;
}
