import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { assertNoErrors, type FieldError } from "#kernel/operation/failure.ts";
import { Validator } from "#kernel/schema/validator.ts";
import { type AuthFields, faultsOfAuth } from "./auth.ts";
import {
  type Credentials,
  faultsOfReferences,
  maskCredentials,
  MASK,
  type Json,
  decryptCredentials,
  type Parts,
  unmaskCredentials,
  sealCredentials,
} from "./credentials.ts";
import type { DiscoveredApi } from "./openapi/discovered-action.ts";
import type { StoredConnector } from "./store.ts";
import { CONNECTOR_TYPES, connectorTypeOf } from "./types/registry.ts";
import type { ConnectorType } from "./types/connector-type.ts";
import { headerErrors, urlErrors } from "./upstream/target.ts";

/** What a caller wants a connector to be, ready to be written: checked, its credentials sealed. */
export interface ConnectorInput {
  readonly id: string;
  readonly config: Json;
  readonly auth: AuthFields;
  readonly sealed: Buffer | null;
  /** Whether the credentials differ from those that there were. */
  readonly recredentialed: boolean;
  /** What its document says, when that was read. */
  readonly discovered: DiscoveredApi | undefined;
}

/** What a caller sent. */
export interface ConnectorBody {
  readonly id: string;
  readonly type: string;
  readonly config: Json;
  readonly auth: AuthFields;
  /** Whether its document is to be read, if it has one. */
  readonly reads: boolean;
}

const shapes = new Map(
  CONNECTOR_TYPES.map(({ type, config }) => [type, new Validator(config, "body")]),
);

/** The workspace of a caller; an operation on connectors always has one. */
export function requireWorkspace({ workspace }: Caller): string {
  if (!workspace) throw new Error("A connector belongs to a workspace.");
  return workspace.key;
}

/** Reads what a caller sent; `stored` is what a mask stands for. Throws a failure that names every fault. */
export async function parseConnectorInput(
  platform: Platform,
  caller: Caller,
  given: ConnectorBody,
  stored?: StoredConnector,
): Promise<ConnectorInput> {
  const type = connectorTypeOf(given.type);
  const place = { workspace: requireWorkspace(caller), id: given.id };
  const former = stored ? await decryptCredentials(platform, place, stored.sealed) : {};
  const config = configOf(type, given.config);
  const { parts, faults } = unmaskCredentials(
    type.config,
    { config, auth: { ...given.auth } },
    former,
  );
  assertNoErrors([
    ...faultsOfAuth(given.auth, type.authKinds),
    ...faults,
    ...faultsOfPlaces(platform, given.auth),
    ...(type.check?.(platform, parts.config as never, given.auth) ?? []),
    ...keptDocument(type, config, stored),
    ...(await faultsOfReferences(platform, place.workspace, parts)),
  ]);
  const discovered = given.reads
    ? await type.documented?.discover(platform, parts.config as never)
    : undefined;
  const { shown, hidden } = maskCredentials(type.config, keptParts(type, parts));
  return {
    id: given.id,
    config: shown.config,
    // Only texts in it were masked.
    auth: shown.auth as unknown as AuthFields,
    sealed: await sealCredentials(platform, place, hidden),
    recredentialed: !sameCredentials(former, hidden),
    discovered,
  };
}

/** Where credentials are sent must be a place that they can be sent to. */
function faultsOfPlaces(platform: Platform, auth: AuthFields): FieldError[] {
  const { kind, tokenUrl, name } = auth;
  if (tokenUrl !== undefined) return urlErrors(platform, "/auth/tokenUrl", tokenUrl);
  if (kind !== "api_key" || auth.in === "query" || name === undefined) return [];
  return headerErrors("/auth", { [name]: "" }).map((fault) => ({
    ...fault,
    path: "/auth/name",
  }));
}

/** A configuration with its defaults. */
function configOf({ type }: ConnectorType, given: Json): Json {
  const result = shapes.get(type)?.check(given) ?? { value: given };
  if ("value" in result) return result.value as Json;
  const faults = result.errors.map(({ path, message }) => ({ path: `/config${path}`, message }));
  assertNoErrors(faults);
  return given;
}

/** That a document stays as it is can only be said where there is one. */
function keptDocument(
  { documented }: ConnectorType,
  config: Json,
  stored: StoredConnector | undefined,
): FieldError[] {
  if (!documented || config["document"] !== MASK) return [];
  const known = stored?.config["document"] === MASK;
  return known ? [] : [{ path: "/config/document", message: "has no value to keep" }];
}

function keptParts({ documented }: ConnectorType, { config, auth }: Parts): Parts {
  return { config: documented ? (documented.kept(config as never) as Json) : config, auth };
}

function sameCredentials(one: Credentials, other: Credentials): boolean {
  const paths = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...paths].every((path) => one[path] === other[path]);
}
