import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { EnvironmentName } from "#kernel/db/partition.ts";
import type { Platform } from "#kernel/contract.ts";
import { assertNoErrors, type FieldError } from "#kernel/operation/failure.ts";
import { Validator } from "#kernel/schema/validator.ts";
import { type AuthFields, authErrors } from "./auth.ts";
import {
  type Credentials,
  secretReferenceErrors,
  maskCredentials,
  MASK,
  type Json,
  decryptCredentials,
  type Parts,
  unmaskCredentials,
  sealCredentials,
} from "./credentials.ts";
import { findOtherDestination } from "./destination.ts";
import type { DiscoveredApi } from "./openapi/discovered-action.ts";
import type { StoredConnector } from "./store.ts";
import { CONNECTOR_TYPES, connectorTypeOf } from "./types/registry.ts";
import type { ConnectorType } from "./types/connector-type.ts";
import { headerErrors, urlErrors } from "./upstream/target.ts";

/** A validated input, ready to be stored: its credentials are encrypted. */
export interface ConnectorInput {
  readonly id: string;
  readonly config: Json;
  readonly auth: AuthFields;
  readonly sealed: Buffer | null;
  /** True when the credentials differ from the stored ones. */
  readonly hasNewCredentials: boolean;
  /** The content of its document, if it was read. */
  readonly discovered: DiscoveredApi | undefined;
}

/** A connector in a request. */
export interface ConnectorBody {
  readonly id: string;
  readonly type: string;
  readonly config: Json;
  readonly auth: AuthFields;
  /** The environment; default: production. */
  readonly environment?: EnvironmentName;
  /** True if its document must be read, if it has one. */
  readonly readsDocument: boolean;
}

const validators = new Map(
  CONNECTOR_TYPES.map(({ type, config }) => [type, new Validator(config, "body")]),
);

/** Validates an input; masks are replaced with the values of `stored`. Throws a failure with all errors. */
export async function parseConnectorInput(
  platform: Platform,
  caller: Caller,
  body: ConnectorBody,
  stored?: StoredConnector,
): Promise<ConnectorInput> {
  const type = connectorTypeOf(body.type);
  const { environment = "production" } = body;
  const owner = { workspace: partitionOfCaller(caller).workspace, id: body.id };
  const former = stored ? await decryptCredentials(platform, owner, stored.sealed) : {};
  const config = validateConfig(type, body.config);
  const given = type.catalogued?.fillAuth(config as never, body.auth) ?? body.auth;
  const { parts, errors } = unmaskCredentials(type.config, { config, auth: { ...given } }, former);
  assertNoErrors([
    ...authErrors(given, type.authKinds),
    ...errors,
    ...authTargetErrors(platform, given),
    ...(type.check?.(platform, parts.config as never, given) ?? []),
    ...documentErrors(type, config, stored),
    ...(await secretReferenceErrors(platform, { workspace: owner.workspace, environment }, parts)),
  ]);
  const discovered = body.readsDocument
    ? await type.documented?.discover(platform, parts.config as never)
    : undefined;
  const serverUrl = (discovered ?? stored?.document)?.serverUrl ?? null;
  if (stored) assertSameDestination(type, stored, { config, auth: given, serverUrl });
  const { masked, credentials } = maskCredentials(type.config, toStoredParts(type, parts));
  return {
    id: body.id,
    config: masked.config,
    // Only texts in it are masked.
    auth: masked.auth as unknown as AuthFields,
    sealed: await sealCredentials(platform, owner, credentials),
    hasNewCredentials: !isSameCredentials(former, credentials),
    discovered,
  };
}

/** Rejects masks if the destination changes: credentials are bound to the destination they were entered for. */
function assertSameDestination(
  type: ConnectorType,
  stored: StoredConnector,
  input: { readonly config: Json; readonly auth: AuthFields; readonly serverUrl: string | null },
): void {
  const before = {
    // It may have been saved by a release without this default.
    config: withDefaults(type, stored.config),
    auth: { ...stored.auth },
    serverUrl: stored.document?.serverUrl ?? null,
  };
  const auth = { ...input.auth };
  const changed = findOtherDestination(type, before, { ...input, auth });
  if (changed === undefined) return;
  const { errors } = unmaskCredentials(type.config, { config: input.config, auth }, {});
  const message = `must be sent again, because ${changed} changes the recipient`;
  assertNoErrors(errors.map(({ path }) => ({ path, message })));
}

/** Checks that the URL uses HTTP or HTTPS: browsers are redirected to it, and other schemes could run scripts. */
function authorizeUrlErrors(url: string): FieldError[] {
  const isWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  return isWeb ? [] : [{ path: "/auth/authorizeUrl", message: "must be a web URL" }];
}

/** The errors of the URL or header that receives credentials. */
function authTargetErrors(platform: Platform, auth: AuthFields): FieldError[] {
  const { kind, tokenUrl, authorizeUrl, name } = auth;
  if (tokenUrl !== undefined) {
    return [
      ...urlErrors(platform, "/auth/tokenUrl", tokenUrl),
      ...(authorizeUrl === undefined ? [] : authorizeUrlErrors(authorizeUrl)),
    ];
  }
  if (kind !== "api_key" || name === undefined) return [];
  if (auth.in === "path" && !/^[\w-]*$/.test(name))
    return [{ path: "/auth/name", message: "must be a path segment" }];
  if (auth.in === "query" || auth.in === "path") return [];
  return headerErrors("/auth", { [name]: "" }).map((error) => ({
    ...error,
    path: "/auth/name",
  }));
}

function withDefaults({ type }: ConnectorType, stored: Json): Json {
  const result = validators.get(type)?.check(structuredClone(stored));
  return result && "value" in result ? (result.value as Json) : stored;
}

/** Validates a configuration and fills in defaults. */
function validateConfig({ type }: ConnectorType, body: Json): Json {
  const result = validators.get(type)?.check(body) ?? { value: body };
  if ("value" in result) return result.value as Json;
  const errors = result.errors.map(({ path, message }) => ({ path: `/config${path}`, message }));
  assertNoErrors(errors);
  return body;
}

/** A mask is only allowed if a document is stored. */
function documentErrors(
  { documented }: ConnectorType,
  config: Json,
  stored: StoredConnector | undefined,
): FieldError[] {
  if (!documented || config["document"] !== MASK) return [];
  const isStored = stored?.config["document"] === MASK;
  return isStored ? [] : [{ path: "/config/document", message: "has no stored value" }];
}

function toStoredParts({ documented }: ConnectorType, { config, auth }: Parts): Parts {
  return {
    config: documented ? (documented.toStoredConfig(config as never) as Json) : config,
    auth,
  };
}

function isSameCredentials(one: Credentials, other: Credentials): boolean {
  const paths = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...paths].every((path) => one[path] === other[path]);
}
