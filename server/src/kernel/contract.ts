/**
 * Types shared by the kernel and the domains: what a domain declares (operations, readers, jobs) and
 * what handlers receive (contexts and the platform). They reference each other, hence one file.
 */
import type { Logger } from "pino";
import type { Static, TObject, TSchema } from "typebox";
import type { CallEffect } from "./access/call-effect.ts";
import type { Caller, WorkspaceRef } from "./access/caller.ts";
import type { MasterKey } from "./access/crypto.ts";
import type { Maintenance } from "./access/maintenance.ts";
import type { Permission } from "./access/permission.ts";
import type { RateLimit } from "./access/rate-limit.ts";
import type { WorkspaceKeys } from "./access/workspace-keys.ts";
import type { BlobStores } from "./blob-store/blob-places.ts";
import type { Clock } from "./clock.ts";
import type { Tx } from "./db/connection.ts";
import type { Database, Partition, Transaction } from "./db/database.ts";
import type { Embeddings } from "./embedding/embeddings.ts";
import type { ExpressionPool } from "./expression/pool/pool.ts";
import type { Contribution } from "./extension-point.ts";
import type {
  Actor,
  CatalogEntry,
  Causation,
  EventData,
  EventMaker,
  EventType,
  RecordedEvent,
  ResourceRef,
} from "./log/event.ts";
import type { PendingEvent } from "./log/event-log.ts";
import type { Mailer } from "./mail/mailer.ts";
import type { ProcessMonitor } from "./monitor/process-monitor.ts";
import type { FailureType } from "./operation/failure.ts";
import type { Cursors } from "./operation/pagination.ts";
import type { ResponseType } from "./operation/response.ts";
import type { Outbound } from "./outbound/outbound.ts";
import type { CommitFeed } from "./readers/commit-feed.ts";
import type { WakeSignal } from "./readers/wake-signal.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import type { Secrets } from "./secrets/secrets.ts";
import type { Settings } from "./settings.ts";

/** A domain of the product, declared by `domain` and listed in `app.ts`. */
export interface Domain {
  readonly name: string;
  /** Shown in the API reference. */
  readonly summary: string;
  /** The domain that lists its operations in the API reference. Default: this domain. */
  readonly tag?: string;
  /** False if its resources are shared by all environments of the workspace. */
  readonly environmentScoped?: boolean;
  readonly permissions: readonly Permission[];
  readonly events: readonly EventType[];
  readonly operations: readonly Operation[];
  readonly readers?: readonly Reader[];
  readonly jobs?: readonly JobType[];
  readonly engines?: readonly Engine[];
  /** Contributions to other domains and the kernel, see `ExtensionPoint`. */
  readonly contributions?: readonly Contribution[];
}

/** Services for handlers inside a transaction, without network access. */
export interface PlatformServices {
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: Settings;
  readonly masterKey: MasterKey;
  readonly keys: WorkspaceKeys;
  /** Vault values, for code that acts for a workspace. */
  readonly secrets: Secrets;
  readonly cursors: Cursors;
  readonly outbound: Outbound;
  /** The PostgreSQL version as a number: 180000 is 18.0. */
  readonly serverVersion: number;
  readonly wakeSignal: Pick<WakeSignal, "raise" | "subscribe">;
  /** Aborted on shutdown. Long polls and streams must end then. */
  readonly shutdown: AbortSignal;
  /** The engine of a domain, if this process runs it. */
  readonly engineOf: <T extends RunningEngine>(engine: Engine<T>) => T | undefined;
  /** Announces committed events: immediately on this node, shortly after on others. */
  readonly commitFeed: CommitFeed;
  readonly rateLimit: RateLimit;
  readonly mailer: Mailer;
  /** The workspace for events without one, such as a failed login. */
  readonly homeWorkspace: string;
  readonly readers: readonly Reader[];
  readonly readerNames: readonly string[];
  /** All contributions of the domains. `contributionsTo` selects those of one point. */
  readonly contributions: readonly Contribution[];
  /** The catalog of declared event types. */
  readonly eventTypes: readonly CatalogEntry[];
  readonly permissions: readonly Permission[];
  /** Recent load and log lines of this process, for operators. */
  readonly monitor: ProcessMonitor;
  readonly maintenance: Maintenance;
}

/** Services for code outside transactions, which may reach the database, other processes and the network. */
export interface Platform extends PlatformServices {
  readonly db: Database;
  /** All operations by id, for code that calls them for others. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** Evaluates expressions with a timeout. */
  readonly expressions: ExpressionPool;
  /** Runs the scripts of workspaces. */
  readonly sandbox: Sandbox;
  /** Computes embeddings of texts, for semantic search. */
  readonly embeddings: Embeddings;
  /** Storage of file contents. */
  readonly blobStores: BlobStores;
}

/** The context of a read-only handler. */
export interface ReadContext {
  readonly tx: Tx;
  readonly now: Date;
  readonly caller: Caller;
  readonly services: PlatformServices;
}

/** The context of a writing handler. State, events and jobs are written in one transaction. */
export interface WriteContext<E extends EventType = EventType> extends ReadContext {
  /** The type checker accepts only events that the operation declares in `emits`. */
  readonly emit: (...emission: Emission<E>) => void;
  /** Sends a statement immediately. The result need not be awaited, because the commit waits for it. */
  readonly send: Transaction["send"];
  /** Sends a statement together with the next one. Its result is not available; if it fails, the commit fails. */
  readonly post: Transaction["post"];
  /** Runs work in a savepoint: a failure rolls back its writes and events only. Used for SQL written by users. */
  readonly savepoint: Transaction["attempt"];
  /** Appends pending events now, for transactions with too many events to buffer. */
  readonly flush: () => void;
  /** Appends an event immediately and returns its id. For callers that need the id, or a dynamic event type. */
  readonly publish: (event: PendingEvent) => Promise<string>;
  /** Enqueues a job that runs after the commit, immediately or at `options.dueAt`. */
  readonly enqueue: <Payload extends TSchema>(
    job: JobType<Payload>,
    payload: Static<Payload>,
    options?: JobOptions,
  ) => void;
  /** Fails with 412 if the caller's If-Match names a different revision. */
  readonly expectRevision: (revision: number) => void;
  /** Sets the actor and the cause of the events, if only the handler can determine them. */
  readonly setActor: (actor: Actor, cause?: Causation) => void;
  /** Continues in another partition, for transactions that write to several. */
  readonly switchPartition: (partition: Partition) => void;
  /** Called after the commit, for example to wake a worker. */
  readonly onCommit: (listener: () => void) => void;
}

// A union of tuples instead of a generic method, because TypeScript compares generic signatures too loosely.
type Emission<E extends EventType> = E extends EventType
  ? [event: E, resource: ResourceRef, data: EventData<E>, madeBy?: EventMaker]
  : never;

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
export type Route = `${Method} /${string}`;

/**
 * The callers of an operation: members of the workspace in `X-Workspace`; signed-in users; the public; or the
 * public with an optional browser session.
 */
export type Audience = "workspace" | "account" | "public" | "visitor";

/** Fields shared by commands and queries. */
export interface OperationDeclaration<
  A extends Audience,
  Params extends TObject,
  Query extends TObject,
  Body extends TSchema,
  Value,
> {
  /** `domain.verb`: the OpenAPI operationId, and the name in clients and the CLI. */
  readonly id: `${string}.${string}`;
  readonly route: Route;
  /** Additional routes of the operation. */
  readonly aliases?: readonly Route[];
  readonly summary: string;
  readonly description?: string;
  readonly access?: A;
  /** Required for "workspace". For "account" the caller must hold it in at least one workspace. */
  readonly permission?: Permission;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly bodyOptional?: boolean;
  readonly bodyBytesMax?: number;
  /** False if the data is shared by all environments. Default: as declared by the domain. */
  readonly environmentScoped?: boolean;
  /** The body may also be sent as an HTML form. */
  readonly acceptsForm?: boolean;
  /** A text of this media type is accepted instead of JSON and becomes this field of the body. */
  readonly acceptsText?: { readonly mediaType: string; readonly field: string };
  /** Accepts HTTP Basic credentials in `caller.basic`. */
  readonly acceptsBasic?: boolean;
  /** Visitors may also authenticate with a token in a header. */
  readonly acceptsToken?: boolean;
  /** Passes the browser's cookies in `caller.cookies`. */
  readonly readsCookies?: boolean;
  /** Browsers and programs get different responses, see `caller.prefersHtml`. */
  readonly readsAccept?: boolean;
  /** Accepts any request with any query as `caller.request`. With `files`, a multipart body is `caller.upload`. */
  readonly readsRequest?: boolean | "files";
  /** The body is a file of any type and length. It is streamed as `caller.upload`. */
  readonly streamsBody?: boolean;
  /** Supports range requests, see `caller.conditions`. */
  readonly readsRange?: boolean;
  /** Allowed before the caller has completed a required step such as enrolling a second factor. */
  readonly allowBeforeEnrolment?: boolean;
  /** Only for owners with a session: tokens, applications and automations are rejected. */
  readonly ownersInPerson?: boolean;
  /** Only for installation operators with a session that is valid for all workspaces. */
  readonly operatorsOnly?: boolean;
  /** Allowed during maintenance, for example signing in. */
  readonly allowInMaintenance?: boolean;
  /** An API token may use it on itself without the permission. For other tokens the handler checks the permission. */
  readonly allowOwnToken?: boolean;
  /** Its `prepare` has side effects that no rollback can undo: it calls external systems or runs code that may. */
  readonly actsOutside?: boolean;
  /** Its result outlives the caller's credential, so the credential is checked again in the transaction. */
  readonly issuesCredential?: boolean;
  /** Credentials of one workspace may call it, although it applies to the whole account. */
  readonly allowWorkspaceToken?: boolean;
  /** Clients that can't send headers name the workspace in the query, or use a credential of one workspace. */
  readonly infersWorkspace?: boolean;
  /** May take long. `caller.disconnected` aborts when the client disconnects. */
  readonly longRunning?: boolean;
  /** At most one call per workspace runs at a time; others wait in a bounded queue. */
  readonly oneAtATime?: boolean;
  /** May change nothing and then appends no event. */
  readonly allowNoop?: boolean;
  /** Writes only data that expires, such as presence, and appends no event (ADR 0043). */
  readonly ephemeral?: boolean;
  /** Appends events whose types the callers choose. */
  readonly publishes?: boolean;
  /** Calls other operations. `emits` lists all events that any of them may append. */
  readonly composes?: boolean;
  /** The states of the resource in which the operation is allowed. */
  readonly states?: readonly string[] | undefined;
  /** Contributions registered together with the operation. */
  readonly contributions?: readonly Contribution[];
  readonly response: ResponseType<Value>;
  readonly fails?: readonly FailureType[];
  /** Shown in the API reference; checked against the schemas. */
  readonly example?: {
    readonly params?: Static<Params>;
    readonly query?: Static<Query>;
    readonly body?: Static<Body>;
  };
}

/** Any operation without its exact types. Declared by `command` or `query`. */
export interface Operation extends OperationDeclaration<
  Audience,
  TObject,
  TObject,
  TSchema,
  never
> {
  readonly kind: "command" | "query";
  readonly access: Audience;
  readonly emits: readonly EventType[];
  readonly effect?:
    | CallEffect
    | ((platform: Platform, input: never, caller: Caller) => Promise<CallEffect>);
  readonly prepare?: (platform: Platform, input: never, caller: Caller) => Promise<unknown>;
  readonly partitionOf?: (prepared: never) => Partition;
  readonly run: (
    ctx: WriteContext & { workspace: WorkspaceRef },
    input: never,
    prepared: never,
  ) => Promise<unknown>;
  readonly afterCommit?: (
    platform: Platform,
    input: never,
    result: { readonly value: never; readonly caller: Caller },
  ) => Promise<unknown>;
}

/**
 * Durable work, declared by `job`. A transaction writes the job as a row. A worker leases the row when it is
 * due, runs the job and deletes the row in the transaction of the job's writes.
 */
export interface JobType<Payload extends TSchema = TSchema> {
  readonly kind: string;
  readonly payload: Payload;
  readonly attemptsMax: number;
  /** The timeout of one attempt. The lease is slightly longer. */
  readonly timeoutMs: number;
  readonly retryDelayMs: (attempt: number) => number;
  /** Repeats the job this long after each success. */
  readonly everyMs?: number;
  readonly concurrency: number;
  readonly effect?: (platform: Platform, payload: never, attempt: JobAttempt) => Promise<unknown>;
  readonly run: (ctx: WriteContext, payload: never, result: never) => Promise<unknown>;
}

/** One attempt of a job. All attempts have the same id, which serves as an idempotency key for external calls. */
export interface JobAttempt {
  readonly id: string;
  readonly number: number;
  readonly signal: AbortSignal;
}

export interface JobOptions {
  /** Unique among the waiting jobs of one kind and partition. */
  readonly key?: string;
  readonly dueAt?: Date;
  /** If a job with this key exists: keep it unchanged, or update its due time and payload. */
  readonly onConflict?: "keep" | "move";
}

/**
 * A durable consumer of the event log, declared by `reader`: it maintains a projection, notifies or starts work. It
 * receives every event once, in order. Its writes and its cursor commit together, so each event takes effect exactly
 * once.
 */
export type Reader = ReaderDeclaration & ReaderHandler<EventType>;

export interface ReaderDeclaration {
  readonly name: string;
  /** Event types or patterns. A function if they depend on the assembled domains. */
  readonly on: readonly string[] | ((services: PlatformServices) => readonly string[]);
  /** The start position of a new reader. */
  readonly startsAt: "beginning" | "end";
}

/** Neither may use the network, because a transaction is open. All events belong to one workspace and environment. */
export type ReaderHandler<E extends EventType> =
  | {
      handle(ctx: ReaderContext<E>, events: readonly RecordedEvent[]): Promise<void>;
      readonly handleSummary?: never;
    }
  | {
      /** For a reader of all events: receives counts by event type and reads only the events it needs. */
      handleSummary(ctx: SummaryContext<E>, counts: readonly EventTypeCount[]): Promise<void>;
      /** Selects the relevant parts of a batch in one query. Not called for a batch with one part. */
      selectParts?(
        ctx: PartsContext,
        parts: readonly PartSummary[],
      ): Promise<(part: PartSummary) => boolean>;
      readonly handle?: never;
    }
  | {
      /** For a reader that needs only the counts, for all workspaces at once. */
      handleParts(ctx: Pick<ReadContext, "tx">, parts: readonly PartSummary[]): Promise<void>;
      readonly handle?: never;
      readonly handleSummary?: never;
    };

/** Events of a batch in one workspace and environment. */
export interface PartSummary {
  readonly partition: Partition;
  /** Counts of the consumed event types. */
  readonly counts: readonly EventTypeCount[];
}

export interface PartsContext extends Pick<ReaderContext, "continuous"> {
  readonly services: Platform;
}

/** The number of events of one type in a batch. It often shows that nothing needs to be done. */
export interface EventTypeCount {
  readonly topic: string;
  readonly type: string;
  readonly count: number;
  /** The time of the last of them. */
  readonly lastAt: string;
}

export interface ReaderContext<E extends EventType = EventType> extends ReadContext {
  /** The context for reacting to an event, which becomes the cause of emitted events. */
  readonly because: (event: RecordedEvent) => WriteContext<E>;
  /** False if another process may have run this reader since its last run here. */
  readonly continuous: boolean;
  /** Called after the batch has committed, for example to wake a worker. */
  readonly onCommit: (listener: () => void) => void;
}

export interface SummaryContext<E extends EventType = EventType> extends ReaderContext<E> {
  /** Reads the events of these types in log order. */
  readonly events: (types: readonly string[]) => Promise<readonly RecordedEvent[]>;
}

/** A long-running component. For work that jobs and readers can't do, such as keeping connections open. */
export interface Engine<T extends RunningEngine = RunningEngine> {
  readonly name: string;
  start(platform: Platform): T;
}

/** A started engine. */
export interface RunningEngine {
  /** Resolves when running work has ended. */
  stop(): Promise<void>;
}
