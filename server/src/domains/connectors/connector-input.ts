import type { Caller, Outside } from "#kernel/access/caller.ts";
import type { Fault } from "#kernel/operation/failure.ts";
import { Shape } from "#kernel/schema/validator.ts";
import { type AuthFields, faultsOfAuth } from "./auth.ts";
import {
  type Credentials,
  faultsOfReferences,
  hide,
  MASK,
  type Json,
  openCredentials,
  type Parts,
  reveal,
  sealCredentials,
} from "./credentials.ts";
import { assertNoFaults } from "./fault.ts";
import type { Discovered } from "./openapi/discovered-action.ts";
import type { Guarded } from "./store.ts";
import { CONNECTOR_TYPES, connectorTypeOf } from "./types/registry.ts";
import type { ConnectorType } from "./types/connector-type.ts";
import { faultsOfHeaders, faultsOfUrl } from "./upstream/target.ts";

/** What a caller wants a connector to be, ready to be written: checked, its credentials sealed. */
export interface Draft {
  readonly id: string;
  readonly config: Json;
  readonly auth: AuthFields;
  readonly sealed: Buffer | null;
  /** Whether the credentials differ from those that there were. */
  readonly recredentialed: boolean;
  /** What its document says, when that was read. */
  readonly discovered: Discovered | undefined;
}

/** What a caller sent. */
export interface Given {
  readonly id: string;
  readonly type: string;
  readonly config: Json;
  readonly auth: AuthFields;
  /** Whether its document is to be read, if it has one. */
  readonly reads: boolean;
}

const shapes = new Map(
  CONNECTOR_TYPES.map(({ type, config }) => [type, new Shape(config, "body")]),
);

/** The workspace of a caller; an operation on connectors always has one. */
export function workspaceOf({ workspace }: Caller): string {
  if (!workspace) throw new Error("A connector belongs to a workspace.");
  return workspace.key;
}

/** Reads what a caller sent; `stored` is what a mask stands for. Throws a failure that names every fault. */
export async function readDraft(
  outside: Outside,
  caller: Caller,
  given: Given,
  stored?: Guarded,
): Promise<Draft> {
  const type = connectorTypeOf(given.type);
  const place = { workspace: workspaceOf(caller), id: given.id };
  const former = stored ? await openCredentials(outside, place, stored.sealed) : {};
  const config = configOf(type, given.config);
  const { parts, faults } = reveal(type.config, { config, auth: { ...given.auth } }, former);
  assertNoFaults([
    ...faultsOfAuth(given.auth, type.authKinds),
    ...faults,
    ...faultsOfPlaces(outside, given.auth),
    ...(type.check?.(outside, parts.config as never, given.auth) ?? []),
    ...keptDocument(type, config, stored),
    ...(await faultsOfReferences(outside, place.workspace, parts)),
  ]);
  const discovered = given.reads
    ? await type.documented?.discover(outside, parts.config as never)
    : undefined;
  const { shown, hidden } = hide(type.config, keptParts(type, parts));
  return {
    id: given.id,
    config: shown.config,
    // Only texts in it were masked.
    auth: shown.auth as unknown as AuthFields,
    sealed: await sealCredentials(outside, place, hidden),
    recredentialed: !sameCredentials(former, hidden),
    discovered,
  };
}

/** Where credentials are sent must be a place that they can be sent to. */
function faultsOfPlaces(outside: Outside, auth: AuthFields): Fault[] {
  const { kind, tokenUrl, name } = auth;
  if (tokenUrl !== undefined) return faultsOfUrl(outside, "/auth/tokenUrl", tokenUrl);
  if (kind !== "api_key" || auth.in === "query" || name === undefined) return [];
  return faultsOfHeaders("/auth", { [name]: "" }).map((fault) => ({
    ...fault,
    path: "/auth/name",
  }));
}

/** A configuration with its defaults. */
function configOf({ type }: ConnectorType, given: Json): Json {
  const result = shapes.get(type)?.check(given) ?? { value: given };
  if ("value" in result) return result.value as Json;
  const faults = result.faults.map(({ path, message }) => ({ path: `/config${path}`, message }));
  assertNoFaults(faults);
  return given;
}

/** That a document stays as it is can only be said where there is one. */
function keptDocument(
  { documented }: ConnectorType,
  config: Json,
  stored: Guarded | undefined,
): Fault[] {
  if (!documented || config["document"] !== MASK) return [];
  const known = stored?.connector.config["document"] === MASK;
  return known ? [] : [{ path: "/config/document", message: "has no value to keep" }];
}

function keptParts({ documented }: ConnectorType, { config, auth }: Parts): Parts {
  return { config: documented ? (documented.kept(config as never) as Json) : config, auth };
}

function sameCredentials(one: Credentials, other: Credentials): boolean {
  const paths = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...paths].every((path) => one[path] === other[path]);
}
