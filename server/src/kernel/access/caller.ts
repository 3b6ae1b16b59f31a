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
  /** Its key in rows. */
  readonly key: string;
  /** Its id in the API. */
  readonly id: string;
}

export interface Membership {
  readonly workspace: WorkspaceRef & { readonly slug: string; readonly name: string };
  readonly roles: readonly string[];
  /** The names of the custom roles among them, by id. */
  readonly customRoles?: Readonly<Record<string, string>>;
  readonly permissions: ReadonlySet<string>;
  /** True where a webhook or a workflow may hear the events of accounts. */
  readonly hearsAudit?: boolean;
  /** The failure of all operations there for now, but those with `allowBeforeEnrolment`. */
  readonly blockedBy?: FailureType;
}

/** A session or token, as authentication found it; short-lived, and the same for many requests. */
export interface Credential {
  /** Of the session or token: rate limits and idempotency keys belong to it. */
  readonly id: string;
  readonly kind: "session" | "api_token" | "oauth";
  readonly actor: Actor;
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  /** The addresses that it may be used from; any when absent. */
  readonly allowedFrom?: readonly Cidr[];
  /** By slug. */
  readonly memberships: ReadonlyMap<string, Membership>;
  /** All that a token was made with, also what its person has lost since: it says what kind of program has it. */
  readonly scopes?: readonly string[];
  /** True when its person runs the installation, and it is good for all that they may do. */
  readonly isOperator?: true;
  /** The one workspace that it is good for: the one whose identity provider vouches for it, or that it was made for. */
  readonly confinedTo?: WorkspaceRef;
}

/** A request as it came, not parsed. */
export interface RawRequest {
  readonly method: string;
  readonly bytes: Buffer;
  /** Of the bytes, without its parameters; empty when the client sent none. */
  readonly mediaType: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
}

/** A body that is read while it arrives. */
export interface Upload {
  readonly content: AsyncIterable<Uint8Array>;
  /** The header as it came, with its parameters; empty when the client sent none. */
  readonly contentType: string;
  /** As the client announces it. */
  readonly length: number | undefined;
}

/** A step of a run, as far as its files are concerned. */
export interface CallingRun {
  readonly id: string;
  /** Equal for all attempts of the step. */
  readonly step: string;
  /**
   * Where the step itself keeps files: those that its earlier attempts left are dropped before the first. Files of
   * operations stay, since a repeated one answers with them.
   */
  readonly leftovers?: { dropped?: Promise<unknown> };
  /** Further files that it may open by handles: those that its starter could read, or that its author names. */
  readonly givenFiles?: ReadonlySet<string>;
}

/** The headers by which a client asks for a part of a file. */
export interface RangeConditions {
  readonly range?: string | undefined;
  readonly ifRange?: string | undefined;
}

/** A member of a workspace. */
export interface Principal {
  readonly id: string;
  /** Ids; that of a built-in role is its name. */
  readonly roles: readonly string[];
}

/** One call of one operation, wherever it comes from. */
export interface Caller {
  readonly actor: Actor;
  readonly credential: Credential | undefined;
  readonly workspace: WorkspaceRef | undefined;
  readonly environment: EnvironmentName;
  /** The environment of the request, where the operation is of the whole workspace: only for showing addresses. */
  readonly requestedEnvironment?: EnvironmentName;
  readonly permissions: ReadonlySet<string>;
  /** The person behind the caller, with their roles: for what depends on the person and not on a permission. */
  readonly principal?: Principal;
  /** True when somebody's code acts in the stead of the person: an app, a script. It has no session of theirs. */
  readonly isDelegated?: true;
  /** True when a person has approved the call, with all that it calls in turn. */
  readonly isApproved?: true;
  /** True when nothing of the call will stay: what is prepared for it must not be used up. */
  readonly isDryRun?: true;
  /** True when an undo brings something back: parts of it have the ids again that they had. */
  readonly isUndo?: true;
  readonly requestId: string;
  /** The owner of its idempotency keys: a credential or a run. A stranger has none. */
  readonly idempotencyScope?: string;
  readonly address: string;
  /** The browser or program that calls, as it says itself: for people to recognise, never to decide by. */
  readonly client?: string;
  /** Our own origin: MILLRACE_BASE_URL or, without one, the Host of the request. */
  readonly origin: string;
  /** True at a host that leads to a part of the installation, where nobody is signed in. */
  readonly isAtDomain?: true;
  /** The credentials of HTTP Basic, for operations that take them. */
  readonly basic?: { readonly name: string; readonly password: string };
  /** The browser's cookies by name, for operations that read them. */
  readonly cookies?: ReadonlyMap<string, string>;
  /** True for a browser, for operations that answer both browsers and programs. */
  readonly prefersHtml?: boolean;
  /** The raw request, for operations that take any. */
  readonly request?: RawRequest;
  /** The body, for operations that read it while it arrives. */
  readonly upload?: Upload;
  /** For operations of which a part may be requested. */
  readonly conditions?: RangeConditions;
  readonly cause: Causation;
  /** The run whose step calls: it may use the run's files, and keeps new ones with the run. */
  readonly run?: CallingRun;
  /** Aborted when the client has left, for operations that keep it waiting. */
  readonly disconnected?: AbortSignal;
  /** The `Last-Event-ID` of a client that reconnects to a stream. */
  readonly lastEventId?: string;
}

/** The id of the person behind a caller, whose token or session it is. */
export function userIdOf({ credential }: Caller): string {
  if (!credential) throw new Failure(Unauthenticated);
  return credential.user.id;
}

/** The id of the person behind a caller, or of the actor where there is none. */
export function authorOf({ principal, actor }: Pick<Caller, "principal" | "actor">): string {
  return principal?.id ?? actor.id;
}

/** The partition that a caller's rows are in; only for a caller who is in a workspace. */
export function partitionOfCaller({
  workspace,
  environment,
}: Pick<Caller, "workspace" | "environment">): Partition {
  if (!workspace) throw new Error("The caller is in no workspace.");
  return { workspace: workspace.key, environment };
}

/** The caller's membership of a workspace; throws where there is none, or where it is blocked. */
export function requireMembership({ credential }: Caller, workspaceId: string): Membership {
  const all = [...(credential?.memberships.values() ?? [])];
  const membership = all.find(({ workspace }) => workspace.id === workspaceId);
  if (!membership) throw new Failure(NoSuchWorkspace);
  if (membership.blockedBy) throw new Failure(membership.blockedBy);
  return membership;
}

/**
 * Throws unless an owner calls by a session of their own. Tokens, applications, runs and apps act for people
 * too, but none of them decides who owns a workspace.
 */
export function assertOwnerInPerson(caller: Caller): void {
  if (!caller.principal?.roles.includes("owner")) {
    throw new Failure(Forbidden, { detail: "Only an owner may do this." });
  }
  assertInPerson(caller);
}

/** Throws unless somebody who runs the installation calls, by a session of their own. */
export function assertOperator(caller: Caller): void {
  if (!caller.credential?.isOperator) {
    throw new Failure(Forbidden, { detail: "Only an operator of the installation may do this." });
  }
  assertInPerson(caller);
}

/** True when a person calls by a session of their own, and no code in their stead. */
export function isInPerson({
  credential,
  isDelegated,
}: Pick<Caller, "credential" | "isDelegated">): boolean {
  return credential?.kind === "session" && !isDelegated;
}

/** Throws unless a person calls by a session of their own. */
export function assertInPerson(caller: Caller): void {
  if (!isInPerson(caller)) {
    throw new Failure(Forbidden, { detail: "Only a person's own session may do this, no token." });
  }
}

/** The platform itself, acting in one partition because of something. */
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
