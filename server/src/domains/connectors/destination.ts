/**
 * Where a connector sends its credentials. They were entered for that destination: when it changes, they are not kept,
 * because whoever may change an address need not know the credentials.
 */
import { isDeepStrictEqual } from "node:util";
import type { TSchema } from "typebox";
import { AuthSchema } from "./auth.ts";
import { holdsHeaders, isCredential, type Json } from "./credentials.ts";
import type { ConnectorType } from "./types/connector-type.ts";

/** A configuration, its authentication, and the server that its OpenAPI document names. */
export interface Target {
  readonly config: Json;
  readonly auth?: Json;
  readonly serverUrl: string | null;
}

/** The JSON pointer of the first field that makes two targets different destinations; undefined if none does. */
export function findOtherDestination(
  type: ConnectorType,
  before: Target,
  after: Target,
): string | undefined {
  const [left, right] = [effectiveConfig(type, before), effectiveConfig(type, after)];
  const inConfig = changedNames(left, right).find((name) =>
    decidesDestination(type.config.properties[name]),
  );
  if (inConfig !== undefined) return `/config/${inConfig}`;
  if (!before.auth || !after.auth) return undefined;
  const inAuth = changedNames(before.auth, after.auth).find((name) =>
    isAddress(AuthSchema.properties[name as keyof typeof AuthSchema.properties]),
  );
  return inAuth === undefined ? undefined : `/auth/${inAuth}`;
}

/** Any field of a configuration that no mark excepts: a new one counts until somebody has thought about it. */
function decidesDestination(schema: TSchema | undefined): boolean {
  if (schema === undefined) return true;
  const isExcepted = "x-destination" in schema && schema["x-destination"] === false;
  return !isExcepted && !isCredential(schema) && !holdsHeaders(schema);
}

/** Of the authentication only the addresses count: the rest goes to them or to the address of the configuration. */
function isAddress(schema: TSchema | undefined): boolean {
  return schema !== undefined && "x-destination" in schema && schema["x-destination"] === true;
}

function effectiveConfig({ documented }: ConnectorType, { config, serverUrl }: Target): Json {
  return documented ? (documented.toEffectiveConfig(config as never, serverUrl) as Json) : config;
}

function changedNames(before: Json, after: Json): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name]));
}
