/**
 * Explains access decisions for another caller. The caller is built like authentication does, and the same
 * functions that guard every call decide. A named resource is read as that caller; its content is discarded.
 */
import { listMemberships, toMembership } from "#domains/identity/accounts/index.ts";
import { limitToScopes } from "#domains/identity/tokens/index.ts";
import type { Caller, Credential, Membership } from "#kernel/access/caller.ts";
import type { Operation, Platform } from "#kernel/contract.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { assertNotBlocked } from "#kernel/http/authenticate.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { authorise } from "#kernel/operation/layers/authorisation.ts";
import { perform } from "#kernel/operation/perform.ts";

/** The person whose call is explained, and their credential. */
export interface Subject {
  readonly user: Credential["user"];
  readonly membership: Membership;
  /** An API token of the person, with its limits. */
  readonly token?: {
    readonly id: string;
    readonly name: string;
    readonly scopes: readonly string[];
  };
}

/** Finds a person like their session or token would be resolved; undefined if they are not an active member. */
export async function findSubject(
  { db, permissions }: Platform,
  workspace: string,
  user: Credential["user"],
  token?: Subject["token"],
): Promise<Subject | undefined> {
  const [row] = await listMemberships(db, user.id, workspace);
  if (!row) return undefined;
  const whole = toMembership(row, permissions);
  const membership = token ? limitToScopes(whole, token.scopes) : whole;
  return { user, membership, ...(token && { token }) };
}

/** Builds the caller of a subject. */
export function buildCaller(
  { user, membership, token }: Subject,
  asker: Caller,
  environment: EnvironmentName,
): Caller {
  const actor = token
    ? ({ id: token.id, name: token.name, type: "api_token" } as const)
    : ({ id: user.id, name: user.name, type: "user" } as const);
  const { workspace, permissions, roles } = membership;
  return {
    actor,
    credential: {
      id: token?.id ?? user.id,
      kind: token ? "api_token" : "session",
      actor,
      user,
      memberships: new Map([[workspace.slug, membership]]),
      ...(token && { confinedTo: workspace }),
    },
    workspace,
    environment,
    permissions,
    principal: { id: user.id, roles },
    requestId: asker.requestId,
    address: asker.address,
    origin: asker.origin,
    cause: asker.cause,
  };
}

/** Returns the failure of a call before its handler runs; undefined if the call is allowed. */
export function decide(op: Operation, caller: Caller, membership: Membership): Failure | undefined {
  return catchFailure(() => {
    if (op.access === "public" || op.access === "visitor") return;
    assertNotBlocked(op, membership);
    authorise(op, caller);
  });
}

/** The result of reading a resource as another caller. */
export type ThingOutcome =
  | { readonly seen: true }
  | { readonly seen: false; readonly failure: Failure }
  | { readonly seen: undefined };

/** Reads a resource as another caller, and discards its content. */
export async function readThing(
  platform: Platform,
  op: Operation,
  caller: Caller,
  values: readonly string[],
): Promise<ThingOutcome> {
  const names = paramNames(op);
  const params = Object.fromEntries(names.map((name, at) => [name, values[at]]));
  const input = { params, query: op.query ? {} : undefined, body: undefined };
  try {
    const { status } = await perform(platform, op, { caller, input, instance: "" });
    return status < 400 ? { seen: true } : { seen: undefined };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // Reading requires more than the name, so nothing is known.
    return error.type.status === UNPROCESSABLE
      ? { seen: undefined }
      : { seen: false, failure: error };
  }
}

const UNPROCESSABLE = 422;

/**
 * The query that reads the resource of an operation: the operation itself, or the one at the address of the
 * resource.
 */
export function findReader(platform: Platform, op: Operation): Operation | undefined {
  if (isReadable(op)) return op;
  const path = pathOf(op);
  const resourcePath = path.slice(0, path.lastIndexOf("}") + 1);
  return [...platform.operations.values()].find(
    (candidate) => isReadable(candidate) && pathOf(candidate) === resourcePath,
  );
}

/** The names in an operation's path, in order. */
export function paramNames(op: Operation): string[] {
  return [...pathOf(op).matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

function pathOf({ route }: Operation): string {
  return route.slice(route.indexOf(" ") + 1);
}

/** Excludes streams and long polls, which would block, and downloads, which would be created for nothing. */
function isReadable(op: Operation): boolean {
  return (
    op.kind === "query" &&
    op.access === "workspace" &&
    paramNames(op).length > 0 &&
    !op.longRunning &&
    !op.readsRange &&
    op.response.stream === undefined
  );
}

function catchFailure(check: () => void): Failure | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
