/**
 * The types that kernel and domains share: what a domain declares (operations, readers, jobs, engines, contributions)
 * and what its handlers get (contexts and the platform). They refer to each other, hence one file.
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

/** One area of the product, as `app.ts` lists it; declared by `domain`. */
export interface Domain {
  readonly name: string;
  /** Shown in the API reference. */
  readonly summary: string;
  /** The domain that its operations are listed with in the API reference; itself when absent. */
  readonly tag?: string;
  /** False when its resources belong to the workspace in all its environments. */
  readonly environmentScoped?: boolean;
  readonly permissions: readonly Permission[];
  readonly events: readonly EventType[];
  readonly operations: readonly Operation[];
  readonly readers?: readonly Reader[];
  readonly jobs?: readonly JobType[];
  readonly engines?: readonly Engine[];
  /** Its part in what other domains and the kernel do, see `ExtensionPoint`. */
  readonly contributions?: readonly Contribution[];
}

/** The services for handlers inside a transaction: none of them leaves the process. */
export interface PlatformServices {
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: Settings;
  readonly masterKey: MasterKey;
  readonly keys: WorkspaceKeys;
  /** The values of the vault, for code that acts on behalf of a workspace. */
  readonly secrets: Secrets;
  readonly cursors: Cursors;
  readonly outbound: Outbound;
  /** Of PostgreSQL, as a number: 180000 is the first of 18. */
  readonly serverVersion: number;
  readonly wakeSignal: Pick<WakeSignal, "raise" | "subscribe">;
  /** Aborted when the process is to end: long polls and streams should end then. */
  readonly shutdown: AbortSignal;
  /** A domain's own machinery, where this process runs it. */
  readonly engineOf: <T extends RunningEngine>(engine: Engine<T>) => T | undefined;
  /** Announces events as they are committed, on this node at once and from the others shortly after. */
  readonly commitFeed: CommitFeed;
  readonly rateLimit: RateLimit;
  readonly mailer: Mailer;
  /** The workspace that gets the events of none, such as a failed login. */
  readonly homeWorkspace: string;
  readonly readers: readonly Reader[];
  readonly readerNames: readonly string[];
  /** Everything that the domains contribute; `contributionsTo` picks those of one point. */
  readonly contributions: readonly Contribution[];
  /** The catalog of events that the domains declare, by name. */
  readonly eventTypes: readonly CatalogEntry[];
  readonly permissions: readonly Permission[];
  /** The recent load and log of this process, for those who run it. */
  readonly monitor: ProcessMonitor;
  readonly maintenance: Maintenance;
}

/** The services where no transaction is open: those that reach the database, other processes and the network. */
export interface Platform extends PlatformServices {
  readonly db: Database;
  /** Every operation by its id, for code that calls on behalf of others. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** Evaluates expressions that can't be trusted to end. */
  readonly expressions: ExpressionPool;
  /** Runs the scripts of workspaces. */
  readonly sandbox: Sandbox;
  /** Turns texts into vectors, for search by meaning. */
  readonly embeddings: Embeddings;
  /** Where the contents of files lie. */
  readonly blobStores: BlobStores;
}

/** The context of a handler that only reads. */
export interface ReadContext {
  readonly tx: Tx;
  readonly now: Date;
  readonly caller: Caller;
  readonly services: PlatformServices;
}

/** The context of a handler that writes: its transaction carries state, events and jobs together. */
export interface WriteContext<E extends EventType = EventType> extends ReadContext {
  /** Only events that the operation declared in `emits` pass the type checker. */
  readonly emit: (...emission: Emission<E>) => void;
  /** Sends a statement at once; its answer need not be awaited, since the commit does. */
  readonly send: Transaction["send"];
  /** Sends a statement with the next one, where nobody reads its result; the commit fails if it fails. */
  readonly post: Transaction["post"];
  /** Runs work that may fail and be rolled back by itself, its events with it; the SQL of people under limits. */
  readonly savepoint: Transaction["attempt"];
  /** Appends the events so far, for a transaction that has too many to hold them all until its end. */
  readonly flush: () => void;
  /** Appends an event at once, and returns its id; for those who need that, or learn its type only now. */
  readonly publish: (event: PendingEvent) => Promise<string>;
  /** Adds work to do after the commit: at once, or at `options.dueAt`. */
  readonly enqueue: <Payload extends TSchema>(
    job: JobType<Payload>,
    payload: Static<Payload>,
    options?: JobOptions,
  ) => void;
  /** Fails with 412 when the caller's If-Match names another revision than this one. */
  readonly expectRevision: (revision: number) => void;
  /** Sets the actor of the events, and their causal chain, where the handler itself finds that out. */
  readonly setActor: (actor: Actor, cause?: Causation) => void;
  /** Goes on in another partition, for the rare transaction that concerns several. */
  readonly switchPartition: (partition: Partition) => void;
  /** Called after the commit: to wake the worker that carries on with what was written. */
  readonly onCommit: (listener: () => void) => void;
}

// A union of tuples, not a generic method: TypeScript compares generic signatures too loosely.
type Emission<E extends EventType> = E extends EventType
  ? [event: E, resource: ResourceRef, data: EventData<E>, madeBy?: EventMaker]
  : never;

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
export type Route = `${Method} /${string}`;

/**
 * The callers that an operation serves: members of a workspace, which `X-Workspace` names; anyone
 * signed in; everyone; or everyone, while knowing whom a browser's session cookie stands for.
 */
export type Audience = "workspace" | "account" | "public" | "visitor";

/** The part of an operation that commands and queries share. */
export interface OperationDeclaration<
  A extends Audience,
  Params extends TObject,
  Query extends TObject,
  Body extends TSchema,
  Value,
> {
  /** `domain.verb`: the OpenAPI operationId, and the name in clients and command lines. */
  readonly id: `${string}.${string}`;
  readonly route: Route;
  /** Further routes of the same operation. */
  readonly aliases?: readonly Route[];
  readonly summary: string;
  readonly description?: string;
  readonly access?: A;
  /** Needed for "workspace"; for "account" it must be held in some workspace. */
  readonly permission?: Permission;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly bodyOptional?: boolean;
  readonly bodyBytesMax?: number;
  /** False when it is about what all environments share; by default as its domain declares. */
  readonly environmentScoped?: boolean;
  /** An HTML form, or a client of a protocol that wants one, may send the body. */
  readonly acceptsForm?: boolean;
  /** A text of this media type may be sent in the place of JSON; it becomes this field of the body. */
  readonly acceptsText?: { readonly mediaType: string; readonly field: string };
  /** HTTP Basic credentials are taken; they are in `caller.basic`. */
  readonly acceptsBasic?: boolean;
  /** A visitor may also authenticate as programs do, by a token in a header. */
  readonly acceptsToken?: boolean;
  /** The browser's cookies are passed on, in `caller.cookies`. */
  readonly readsCookies?: boolean;
  /** Browsers and programs get different answers; `caller.prefersHtml` tells which one is asking. */
  readonly readsAccept?: boolean;
  /** Any request is taken, with any query, as `caller.request`; with `files`, a body of files is `caller.upload`. */
  readonly readsRequest?: boolean | "files";
  /** Its body is a file of any type and length, which is not held in memory; it is in `caller.upload`. */
  readonly streamsBody?: boolean;
  /** A part of the response may be requested; the headers that do it are in `caller.conditions`. */
  readonly readsRange?: boolean;
  /** It may be called before the caller has done what is demanded first, such as to enrol a second factor. */
  readonly allowBeforeEnrolment?: boolean;
  /** Only an owner may call it, by a session of their own: no token, application or automation in their stead. */
  readonly ownersInPerson?: boolean;
  /** Only those who run the installation may call it, by a session of their own that is good for all workspaces. */
  readonly operatorsOnly?: boolean;
  /** It changes something while the installation is in maintenance, too: the way in. */
  readonly allowInMaintenance?: boolean;
  /** An API token may call it about itself without the permission; for anything else its handler asks for that. */
  readonly allowOwnToken?: boolean;
  /** Its `prepare` does what no transaction takes back: it calls others, or runs code that may. */
  readonly actsOutside?: boolean;
  /** It gives out what outlasts the caller's credential, which is checked again in the transaction. */
  readonly issuesCredential?: boolean;
  /** A credential that is good for one workspace may call it, although it serves the whole account. */
  readonly allowWorkspaceToken?: boolean;
  /** A client that can send no header names the workspace in the query, or has a credential that is good for one. */
  readonly infersWorkspace?: boolean;
  /** It may keep its client waiting; `caller.disconnected` aborts when the client leaves. */
  readonly longRunning?: boolean;
  /** Each workspace has one such call under way; others wait in a bounded queue. */
  readonly oneAtATime?: boolean;
  /** It may find that there is nothing to do, and then append no event. */
  readonly allowNoop?: boolean;
  /** It writes only what is forgotten by itself, such as presence, and appends no event (ADR 0043). */
  readonly ephemeral?: boolean;
  /** It appends events of types that its callers choose. */
  readonly publishes?: boolean;
  /** It performs other operations: `emits` are all that any of them may append. */
  readonly composes?: boolean;
  /** The states of its resource in which it can be performed. */
  readonly states?: readonly string[] | undefined;
  /** Passed on by its domain, for operations that come with more than themselves. */
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

/** Any operation, as the kernel has it; declared by `command` or `query`, which know its exact types. */
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
 * Durable work, declared by `job`. A job is a row first, written by the transaction that wants it; a
 * worker leases it when it is due, runs it and deletes it in the same transaction as what it changed.
 */
export interface JobType<Payload extends TSchema = TSchema> {
  readonly kind: string;
  readonly payload: Payload;
  readonly attemptsMax: number;
  /** How long one attempt may take; its lease is a little longer. */
  readonly timeoutMs: number;
  readonly retryDelayMs: (attempt: number) => number;
  /** Runs again this long after each success, for as long as the process lives. */
  readonly everyMs?: number;
  readonly concurrency: number;
  readonly effect?: (platform: Platform, payload: never, attempt: JobAttempt) => Promise<unknown>;
  readonly run: (ctx: WriteContext, payload: never, result: never) => Promise<unknown>;
}

/** One attempt of a job: the same id comes with each, as an idempotency key for what it calls. */
export interface JobAttempt {
  readonly id: string;
  readonly number: number;
  readonly signal: AbortSignal;
}

export interface JobOptions {
  /** Among the waiting jobs of one kind and partition, one for each key. */
  readonly key?: string;
  readonly dueAt?: Date;
  /** A second job with the same key leaves the first as it is, or gives it its due time and payload. */
  readonly onConflict?: "keep" | "move";
}

/**
 * A durable consumer of the event log, declared by `reader`: it keeps a projection, notifies or starts work.
 * Its writes and its cursor commit together, so that each event takes effect exactly once, on whichever node;
 * it gets every event once and in order.
 */
export type Reader = ReaderDeclaration & ReaderHandler<EventType>;

export interface ReaderDeclaration {
  readonly name: string;
  /** Event types, or patterns of them; a function where only the assembled product knows them. */
  readonly on: readonly string[] | ((services: PlatformServices) => readonly string[]);
  /** Where a reader that is new to this database begins. */
  readonly startsAt: "beginning" | "end";
}

/** No network calls in either: a transaction is open. All events are of one workspace and environment. */
export type ReaderHandler<E extends EventType> =
  | {
      handle(ctx: ReaderContext<E>, events: readonly RecordedEvent[]): Promise<void>;
      readonly handleSummary?: never;
    }
  | {
      /** For a reader of everything: it gets the counts by event type, and reads only the events that it needs. */
      handleSummary(ctx: SummaryContext<E>, counts: readonly EventTypeCount[]): Promise<void>;
      /**
       * Picks the parts of a batch that concern it, with one question for all of them: a batch may be of as many
       * workspaces as it has events. A batch of one part is handled without asking.
       */
      selectParts?(
        ctx: PartsContext,
        parts: readonly PartSummary[],
      ): Promise<(part: PartSummary) => boolean>;
      readonly handle?: never;
    }
  | {
      /** For a reader that needs no more than the counts, of all workspaces at once. */
      handleParts(ctx: Pick<ReadContext, "tx">, parts: readonly PartSummary[]): Promise<void>;
      readonly handle?: never;
      readonly handleSummary?: never;
    };

/** The part of a batch that is of one workspace and environment. */
export interface PartSummary {
  readonly partition: Partition;
  /** Of the types that the reader consumes. */
  readonly counts: readonly EventTypeCount[];
}

export interface PartsContext extends Pick<ReaderContext, "continuous"> {
  readonly services: Platform;
}

/** The events of one type in a batch. Mostly this is enough to tell that they concern nobody. */
export interface EventTypeCount {
  readonly topic: string;
  readonly type: string;
  readonly count: number;
  /** When the last of them happened. */
  readonly lastAt: string;
}

export interface ReaderContext<E extends EventType = EventType> extends ReadContext {
  /** The context in which to react to one of the events: what it emits has that event as its cause. */
  readonly because: (event: RecordedEvent) => WriteContext<E>;
  /** False when another process may have run this reader since this one last did. */
  readonly continuous: boolean;
  /** Called when this batch has committed: to wake the worker that carries on with what was written. */
  readonly onCommit: (listener: () => void) => void;
}

export interface SummaryContext<E extends EventType = EventType> extends ReaderContext<E> {
  /** The events of these types, in order. */
  readonly events: (types: readonly string[]) => Promise<readonly RecordedEvent[]>;
}

/** Machinery beside readers and jobs, where a row for each step would be too slow, or something must stay open. */
export interface Engine<T extends RunningEngine = RunningEngine> {
  readonly name: string;
  start(platform: Platform): T;
}

/** A started engine. */
export interface RunningEngine {
  /** Resolves when what is under way has ended. */
  stop(): Promise<void>;
}
