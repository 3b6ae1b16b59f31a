import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import type { MasterKey } from "./crypto.ts";
import {
  type Database,
  type EnvironmentName,
  NO_WORKSPACE,
  type Partition,
} from "../db/database.ts";
import type { Embeddings } from "../embedding/embeddings.ts";
import { type Actor, type Causation, SYSTEM_ACTOR } from "../log/event.ts";
import { newId, workspaceIdOf } from "../schema/id.ts";
import {
  Failure,
  type FailureType,
  NoSuchWorkspace,
  Unauthenticated,
} from "../operation/failure.ts";
import type { Cidr } from "../outbound/ssrf-guard.ts";
import type { Outbound } from "../outbound/outbound.ts";
import type { Cursors } from "../operation/pagination.ts";
import type { Permission } from "./permission.ts";
import type { Mailer } from "../mail.ts";
import type { CommitFeed } from "../readers/commit-feed.ts";
import type { RateLimit } from "./rate-limit.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { ExpressionPool } from "../expression/pool/pool.ts";
import type { Operation } from "../operation/operation.ts";
import type { UsageCounter, NotificationRule, CausalTracer } from "../domain.ts";
import type { Engine, RunningEngine } from "../work/engine.ts";
import type { Contribution } from "../extension-point.ts";
import type { CatalogEntry } from "../operation/openapi.ts";
import type { Settings } from "../settings.ts";
import type { WakeSignal } from "../readers/wake-signal.ts";
import type { WorkspaceKeys } from "./workspace-keys.ts";

export interface WorkspaceRef {
  /** As rows have it. */
  readonly key: string;
  /** As the outside has it. */
  readonly id: string;
}

export interface Membership {
  readonly workspace: WorkspaceRef & { readonly slug: string; readonly name: string };
  readonly roles: readonly string[];
  readonly permissions: ReadonlySet<string>;
  /** Why nothing may be done there for now, but what an operation allows even so. */
  readonly barred?: FailureType;
}

/** Who is asking, as authentication found it; short-lived, and the same for many requests. */
export interface Credential {
  /** Of the session or token: rate limits and idempotency keys belong to it. */
  readonly id: string;
  readonly kind: "session" | "api_token" | "oauth";
  readonly actor: Actor;
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  /** The addresses that it may be used from; everywhere when absent. */
  readonly allowedFrom?: readonly Cidr[];
  /** By slug. */
  readonly memberships: ReadonlyMap<string, Membership>;
  /** The one workspace that it is good for: the only one that vouches for who this is, or that it was made for. */
  readonly confinedTo?: WorkspaceRef;
}

/** A request as it came: nothing of it has been looked at. */
export interface RawRequest {
  readonly bytes: Buffer;
  /** Of the bytes, without its parameters; empty when the client did not say. */
  readonly mediaType: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
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
  readonly permissions: ReadonlySet<string>;
  /** On whose behalf, and their roles there: for what depends on the person and not on a permission. */
  readonly person?: Principal;
  readonly requestId: string;
  /** Whose idempotency keys these are: a credential's, or a run's. A stranger has none. */
  readonly idempotencyScope?: string;
  readonly address: string;
  /** Where we were found: MILLRACE_BASE_URL or, without one, what the client calls us. */
  readonly origin: string;
  /** What HTTP Basic said, for the operations that take it. */
  readonly basic?: { readonly name: string; readonly password: string };
  /** The browser's cookies by name, for the operations that ask for them. */
  readonly cookies?: ReadonlyMap<string, string>;
  /** The request as it came, for the operations that take any. */
  readonly request?: RawRequest;
  readonly cause: Causation;
  /** Aborted when the client has left, for the operations that keep it waiting. */
  readonly disconnected?: AbortSignal;
  /** Where a client that comes back to such an operation left off, in its own words. */
  readonly lastEventId?: string;
}

/** The id of the person behind a caller, whose token or session it is. */
export function userIdOf({ credential }: Caller): string {
  if (!credential) throw new Failure(Unauthenticated);
  return credential.user.id;
}

/** The id of the person behind a caller, or of the actor where there is none. */
export function authorOf({ person, actor }: Pick<Caller, "person" | "actor">): string {
  return person?.id ?? actor.id;
}

/** The partition that a caller's rows are in; only for a caller who is in a workspace. */
export function partitionOfCaller({
  workspace,
  environment,
}: Pick<Caller, "workspace" | "environment">): Partition {
  if (!workspace) throw new Error("The caller is in no workspace.");
  return { workspace: workspace.key, environment };
}

/** What a caller has in one of their workspaces; throws where they have nothing, or may do nothing for now. */
export function requireMembership({ credential }: Caller, workspaceId: string): Membership {
  const all = [...(credential?.memberships.values() ?? [])];
  const membership = all.find(({ workspace }) => workspace.id === workspaceId);
  if (!membership) throw new Failure(NoSuchWorkspace);
  if (membership.barred) throw new Failure(membership.barred);
  return membership;
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

/** What the kernel offers to handlers beyond their transaction: nothing that could leave it. */
export interface PlatformServices {
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: Settings;
  readonly masterKey: MasterKey;
  readonly keys: WorkspaceKeys;
  /** The values of the vault, for whoever acts on behalf of a workspace. */
  readonly secrets: Secrets;
  readonly cursors: Cursors;
  readonly outbound: Outbound;
  /** The epoch of the log, see migration 0001. */
  readonly epoch: number;
  /** Of PostgreSQL, as a number: 180000 is the first of 18. */
  readonly serverVersion: number;
  readonly signal: Pick<WakeSignal, "raise" | "subscribe">;
  /** Aborted when the process is to end: whoever waits should wait no longer. */
  readonly ending: AbortSignal;
  /** A domain's own machinery, where this process runs it. */
  readonly engineOf: <T extends RunningEngine>(engine: Engine<T>) => T | undefined;
  /** Hears of events as they are committed, on this node at once and from the others shortly. */
  readonly news: CommitFeed;
  readonly throttle: RateLimit;
  readonly mailer: Mailer;
  /** The workspace that hears what belongs to none, such as a failed login. */
  readonly homeWorkspace: string;
  /** Numbers that the domains contribute to a workspace's statistics. */
  readonly counters: readonly UsageCounter[];
  /** What finds out what events caused, see `Tracer`. */
  readonly tracers: readonly CausalTracer[];
  readonly notices: readonly NotificationRule[];
  /** The readers that this version has. */
  readonly readerNames: readonly string[];
  /** What domains added to others, see `contributionsTo`. */
  readonly contributions: readonly Contribution[];
  /** The catalog of events that the domains declare, by name. */
  readonly eventTypes: readonly CatalogEntry[];
  /** All permissions that the domains declare. */
  readonly permissions: readonly Permission[];
}

/** What `prepare` works with, where no transaction is open yet. */
export interface Platform extends PlatformServices {
  readonly db: Database;
  /** Every operation by its id, for those who call on behalf of others. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** Where expressions are evaluated that can't be trusted to end. */
  readonly expressions: ExpressionPool;
  /** Where the scripts of workspaces run. */
  readonly sandbox: Sandbox;
  /** What makes vectors of texts, by which they are found by their meaning. */
  readonly embeddings: Embeddings;
}
