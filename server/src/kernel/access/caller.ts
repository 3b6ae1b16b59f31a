import { type EnvironmentName, NO_WORKSPACE, type Partition } from "../db/database.ts";
import { type Actor, type Causation, SYSTEM_ACTOR } from "../log/event.ts";
import {
  Failure,
  type FailureType,
  Forbidden,
  NoSuchWorkspace,
  Unauthenticated,
} from "../operation/failure.ts";
import type { Cidr } from "../outbound/ssrf-guard.ts";
import { newId, workspaceIdOf } from "../schema/id.ts";

export interface WorkspaceRef {
  /** The key of the workspace in table rows. */
  readonly key: string;
  /** The id of the workspace in the API. */
  readonly id: string;
}

export interface Membership {
  readonly workspace: WorkspaceRef & { readonly slug: string; readonly name: string };
  readonly roles: readonly string[];
  /** The names of custom roles by id. */
  readonly customRoles?: Readonly<Record<string, string>>;
  readonly permissions: ReadonlySet<string>;
  /** True if webhooks and workflows may receive account events. */
  readonly hearsAudit?: boolean;
  /** The failure of all operations in this workspace, except those with `allowBeforeEnrolment`. */
  readonly blockedBy?: FailureType;
}

/** An authenticated session or token. Short-lived, and shared by concurrent requests. */
export interface Credential {
  /** The id of the session or token. Rate limits and idempotency keys are stored under it. */
  readonly id: string;
  readonly kind: "session" | "api_token" | "oauth";
  readonly actor: Actor;
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  /** The allowed client addresses. If absent, all addresses are allowed. */
  readonly allowedFrom?: readonly Cidr[];
  /** Memberships by workspace slug. */
  readonly memberships: ReadonlyMap<string, Membership>;
  /** The scopes at creation, including scopes that the owner has lost since. They show what the token was meant for. */
  readonly scopes?: readonly string[];
  /** True if the owner is an installation operator and the credential has all of the owner's permissions. */
  readonly isOperator?: true;
  /** The only workspace for this credential: set for tokens of one workspace and sessions of its identity provider. */
  readonly confinedTo?: WorkspaceRef;
}

/** A raw HTTP request, not parsed. */
export interface RawRequest {
  readonly method: string;
  readonly bytes: Buffer;
  /** The media type without parameters. Empty if the client sent none. */
  readonly mediaType: string;
  /** Headers with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
}

/** A request body that is read as a stream. */
export interface Upload {
  readonly content: AsyncIterable<Uint8Array>;
  /** The Content-Type header with its parameters. Empty if the client sent none. */
  readonly contentType: string;
  /** The Content-Length header. */
  readonly length: number | undefined;
}

/** The workflow step that makes the call, for access to the files of the run. */
export interface CallingRun {
  readonly id: string;
  /** Identical for all attempts of the step. */
  readonly step: string;
  /**
   * Files that the step itself stored. Before a new attempt, the files of earlier attempts are deleted. Files
   * stored by operations are kept, because a repeated operation returns them again.
   */
  readonly leftovers?: { dropped?: Promise<unknown> };
  /** Further files that the step can open: files its starter could read, or files its author named. */
  readonly givenFiles?: ReadonlySet<string>;
}

/** Range headers of a file download. */
export interface RangeConditions {
  readonly range?: string | undefined;
  readonly ifRange?: string | undefined;
}

/** A member of a workspace. */
export interface Principal {
  readonly id: string;
  /** Role ids. Built-in roles use their name as the id. */
  readonly roles: readonly string[];
}

/** The caller of an operation: a request, a run, an agent or an app. */
export interface Caller {
  readonly actor: Actor;
  readonly credential: Credential | undefined;
  readonly workspace: WorkspaceRef | undefined;
  readonly environment: EnvironmentName;
  /** The environment of the request, for an operation on the whole workspace. Only used to show addresses. */
  readonly requestedEnvironment?: EnvironmentName;
  readonly permissions: ReadonlySet<string>;
  /** The user behind the caller with their roles, for decisions by user instead of permission. */
  readonly principal?: Principal;
  /** True if code (an app or a script) acts for the user. It has no session. */
  readonly isDelegated?: true;
  /** True if a user approved the call. The approval includes all nested calls. */
  readonly isApproved?: true;
  /** True if the transaction will be rolled back. Resources that were prepared for it must not be consumed. */
  readonly isDryRun?: true;
  /** True during an undo, which restores parts with their former ids. */
  readonly isUndo?: true;
  readonly requestId: string;
  /** The owner of the idempotency keys: a credential or a run. Anonymous callers have none. */
  readonly idempotencyScope?: string;
  readonly address: string;
  /** The User-Agent, shown to people. Untrusted: never used for decisions. */
  readonly client?: string;
  /** The origin of this installation: MILLRACE_BASE_URL or, if not set, the Host header. */
  readonly origin: string;
  /** True at a custom host of an app. Its visitors are never signed in to Millrace. */
  readonly isAtDomain?: true;
  /** HTTP Basic credentials, for operations that accept them. */
  readonly basic?: { readonly name: string; readonly password: string };
  /** Cookies by name, for operations that read them. */
  readonly cookies?: ReadonlyMap<string, string>;
  /** True for browsers, for operations with different responses for browsers and programs. */
  readonly prefersHtml?: boolean;
  /** The raw request, for operations that accept any request. */
  readonly request?: RawRequest;
  /** The request body, for operations that read it as a stream. */
  readonly upload?: Upload;
  /** Range headers, for operations that support partial responses. */
  readonly conditions?: RangeConditions;
  readonly cause: Causation;
  /** The run whose step makes the call. The call can read the run's files, and new files belong to the run. */
  readonly run?: CallingRun;
  /** Aborted when the client disconnects. Set for long-running operations. */
  readonly disconnected?: AbortSignal;
  /** The `Last-Event-ID` header of a client that reconnects to a stream. */
  readonly lastEventId?: string;
}

/** The id of the user who owns the caller's token or session. */
export function userIdOf({ credential }: Caller): string {
  if (!credential) throw new Failure(Unauthenticated);
  return credential.user.id;
}

/** The id of the user behind the caller, or of the actor if there is no user. */
export function authorOf({ principal, actor }: Pick<Caller, "principal" | "actor">): string {
  return principal?.id ?? actor.id;
}

/** The partition of the caller's rows. Only for callers in a workspace. */
export function partitionOfCaller({
  workspace,
  environment,
}: Pick<Caller, "workspace" | "environment">): Partition {
  if (!workspace) throw new Error("The caller is in no workspace.");
  return { workspace: workspace.key, environment };
}

/** The caller's membership of a workspace. Throws if it does not exist or is blocked. */
export function requireMembership({ credential }: Caller, workspaceId: string): Membership {
  const all = [...(credential?.memberships.values() ?? [])];
  const membership = all.find(({ workspace }) => workspace.id === workspaceId);
  if (!membership) throw new Failure(NoSuchWorkspace);
  if (membership.blockedBy) throw new Failure(membership.blockedBy);
  return membership;
}

/**
 * Throws unless an owner calls with a session. Tokens, applications, runs and apps can act for users, but must
 * not change the owners of a workspace.
 */
export function assertOwnerInPerson(caller: Caller): void {
  if (!caller.principal?.roles.includes("owner")) {
    throw new Failure(Forbidden, { detail: "Only workspace owners can do this." });
  }
  assertInPerson(caller);
}

/** Throws unless an installation operator calls with a session. */
export function assertOperator(caller: Caller): void {
  if (!caller.credential?.isOperator) {
    throw new Failure(Forbidden, { detail: "Only operators of the installation can do this." });
  }
  assertInPerson(caller);
}

/** True if a user calls with a session and no code acts for them. */
export function isInPerson({
  credential,
  isDelegated,
}: Pick<Caller, "credential" | "isDelegated">): boolean {
  return credential?.kind === "session" && !isDelegated;
}

/** Throws unless a user calls with a session. */
export function assertInPerson(caller: Caller): void {
  if (!isInPerson(caller)) {
    throw new Failure(Forbidden, {
      detail: "This requires a user session. API tokens can't do this.",
    });
  }
}

/** The platform itself as the caller in one partition. */
export function systemCaller({ workspace, environment }: Partition, cause: Causation): Caller {
  return {
    actor: SYSTEM_ACTOR,
    credential: undefined,
    workspace:
      workspace === NO_WORKSPACE ? undefined : { key: workspace, id: workspaceIdOf(workspace) },
    environment,
    permissions: new Set(),
    requestId: newId("req"),
    address: "",
    origin: "",
    cause,
  };
}
