/**
 * The destination of a connector's credentials. Credentials are bound to the destination they were entered for and
 * are discarded if it changes, because a member who may change the address may not be allowed to know the
 * credentials.
 */
import { isDeepStrictEqual } from "node:util";
import type { TSchema } from "typebox";
import { AuthSchema } from "./auth.ts";
import { holdsHeaders, isCredential, type Json } from "./credentials.ts";
import type { ConnectorType } from "./types/connector-type.ts";

/** A configuration, its authentication, and the server URL of its OpenAPI document. */
export interface Target {
  readonly config: Json;
  readonly auth?: Json;
  readonly serverUrl: string | null;
}

/** The JSON pointer of the first field in which two destinations differ; undefined if they are equal. */
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

/**
 * Returns whether a configuration field is part of the destination. All fields are, unless excepted explicitly, so
 * that new fields are safe by default.
 */
function decidesDestination(schema: TSchema | undefined): boolean {
  if (schema === undefined) return true;
  const isExcepted = "x-destination" in schema && schema["x-destination"] === false;
  return !isExcepted && !isCredential(schema) && !holdsHeaders(schema);
}

/**
 * Only the URLs of the authentication are part of the destination: all other values are sent to them, or to the URL
 * of the configuration.
 */
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
