import type { Static, TObject, TSchema, TUndefined } from "typebox";
import type { Tx } from "../db/connection.ts";
import type { Partition, Transaction } from "../db/database.ts";
import type { Actor, Causation, EventData, EventType, ResourceRef } from "../log/event.ts";
import type { Failure, FailureType } from "./failure.ts";
import type { JobOptions, JobType } from "../work/job.ts";
import type { PendingEvent } from "../log/event-log.ts";
import type { Permission } from "../access/permission.ts";
import type { Caller, Platform, PlatformServices, WorkspaceRef } from "../access/caller.ts";
import type { ResponseType } from "./response.ts";

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
export type Route = `${Method} /${string}`;

/**
 * Whom an operation serves: a member of a workspace, which `X-Workspace` names; anyone signed in;
 * everyone; or everyone, while knowing whom a browser's session cookie stands for.
 */
export type Audience = "workspace" | "account" | "public" | "visitor";

interface Declaration<
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
  /** False when it is about what all environments share; by default what its domain says. */
  readonly environmentScoped?: boolean;
  /** Whether an HTML form, or a client of a protocol that wants one, may send the body. */
  readonly acceptsForm?: boolean;
  /** A text of this media type may be sent in the place of JSON; it becomes this field of the body. */
  readonly acceptsText?: { readonly mediaType: string; readonly field: string };
  /** Whether the caller may say who it is by HTTP Basic; what it said is in `caller.basic`. */
  readonly acceptsBasic?: boolean;
  /** Whether a visitor may also say who they are as programs do, by a token in a header. */
  readonly acceptsToken?: boolean;
  /** Whether it is told the browser's cookies; they are in `caller.cookies`. */
  readonly readsCookies?: boolean;
  /** Whether it takes whatever is sent, of any media type and with any query; it is in `caller.request`. */
  readonly readsRequest?: boolean;
  /** Whether it may be called even where something else must be done first, such as to enrol a second factor. */
  readonly allowBeforeEnrolment?: boolean;
  /** Whether a credential that is good for one workspace may call it, although it serves the whole account. */
  readonly allowWorkspaceToken?: boolean;
  /** Whether it may keep its client waiting; `caller.disconnected` then tells when the client has left. */
  readonly longRunning?: boolean;
  /** Whether it may find that there is nothing to do, and then append no event. */
  readonly allowNoop?: boolean;
  /** Whether it appends events of types that its callers choose. */
  readonly publishes?: boolean;
  readonly response: ResponseType<Value>;
  readonly fails?: readonly FailureType[];
  /** Shown in the API reference; checked against the schemas. */
  readonly example?: {
    readonly params?: Static<Params>;
    readonly query?: Static<Query>;
    readonly body?: Static<Body>;
  };
}

export interface Input<Params extends TObject, Query extends TObject, Body extends TSchema> {
  readonly params: Static<Params>;
  readonly query: Static<Query>;
  readonly body: Static<Body>;
}

export interface ReadContext {
  readonly tx: Tx;
  readonly now: Date;
  readonly caller: Caller;
  readonly services: PlatformServices;
}

export interface WriteContext<E extends EventType = EventType> extends ReadContext {
  /** Only events that the operation declared in `emits` pass the type checker. */
  readonly emit: (...emission: Emission<E>) => void;
  /** Sends a statement at once; its answer need not be awaited, since the commit does. */
  readonly send: Transaction["send"];
  /** Does what may fail and be undone for itself, its events with it: what came before it stays. */
  readonly savepoint: Transaction["attempt"];
  /** Appends the events so far, for an act that has so many that they should not all wait for its end. */
  readonly flush: () => void;
  /** Appends an event whose type is only known now, and tells its id. For the bus alone. */
  readonly publish: (event: PendingEvent) => Promise<string>;
  /** Work to do after this commits: at once, or at `options.dueAt`. */
  readonly enqueue: <Payload extends TSchema>(
    job: JobType<Payload>,
    payload: Static<Payload>,
    options?: JobOptions,
  ) => void;
  /** Fails with 412 when the caller's If-Match names another revision than this one. */
  readonly expectRevision: (revision: number) => void;
  /** Whom the events name, and the chain that they belong to, where the act itself finds that out. */
  readonly setActor: (actor: Actor, cause?: Causation) => void;
  /** Goes on in another partition, for the rare act that concerns several. */
  readonly switchPartition: (partition: Partition) => void;
  /** Called when this has committed: to wake whoever carries out what was written. */
  readonly onCommit: (listener: () => void) => void;
}
// A union of tuples, not a generic method: TypeScript compares generic signatures too loosely.
type Emission<E extends EventType> = E extends EventType
  ? [event: E, resource: ResourceRef, data: EventData<E>]
  : never;

/** An operation for members always runs in a workspace. */
type In<A extends Audience> = A extends "workspace" ? { readonly workspace: WorkspaceRef } : object;

/** Any declaration, seen from the kernel, which no longer cares about its exact types. */
export interface Operation extends Declaration<Audience, TObject, TObject, TSchema, never> {
  readonly kind: "command" | "query";
  readonly access: Audience;
  readonly emits: readonly EventType[];
  readonly prepare?: (platform: Platform, input: never, caller: Caller) => Promise<unknown>;
  readonly run: (
    ctx: WriteContext & { workspace: WorkspaceRef },
    input: never,
    prepared: never,
  ) => Promise<unknown>;
  readonly afterCommit?: (
    platform: Platform,
    input: never,
    followed: { readonly value: never; readonly caller: Caller },
  ) => Promise<unknown>;
}

/** Declares a change: one request, one transaction, at least one event. */
export function command<
  const E extends readonly EventType[],
  Value,
  A extends Audience = "workspace",
  Params extends TObject = TObject<{}>,
  Query extends TObject = TObject<{}>,
  Body extends TSchema = TUndefined,
  Prepared = undefined,
>(
  op: Declaration<A, Params, Query, Body, Value> & {
    readonly emits: E;
    /** What must not happen inside a transaction: network calls and long computations. */
    prepare?(
      platform: Platform,
      input: Input<Params, Query, Body>,
      caller: Caller,
    ): Promise<Prepared>;
    run(
      ctx: WriteContext<E[number]> & In<A>,
      input: Input<Params, Query, Body>,
      prepared: Prepared,
      // A failure that is thrown undoes everything; one that is returned is recorded, and answered.
    ): Promise<Value | Failure>;
    /**
     * Called when it has committed, for who keeps the client waiting for what comes of it: a value
     * takes the place of the one that `run` returned, undefined leaves that as it is.
     */
    afterCommit?(
      platform: Platform,
      input: Input<Params, Query, Body>,
      followed: { readonly value: Value; readonly caller: Caller },
    ): Promise<Value | undefined>;
  },
): Operation {
  return declared({ kind: "command", ...op });
}

/** Declares a read: no event, nothing written. */
export function query<
  Value,
  A extends Audience = "workspace",
  Params extends TObject = TObject<{}>,
  Query extends TObject = TObject<{}>,
  Body extends TSchema = TUndefined,
  Prepared = undefined,
>(
  op: Declaration<A, Params, Query, Body, Value> & {
    /** What must be known before there is a workspace to read in. */
    prepare?(
      platform: Platform,
      input: Input<Params, Query, Body>,
      caller: Caller,
    ): Promise<Prepared>;
    run(
      ctx: ReadContext & In<A>,
      input: Input<Params, Query, Body>,
      prepared: Prepared,
    ): Promise<Value>;
  },
): Operation {
  return declared({ kind: "query", ...op, emits: [] });
}

/** A type that widens parameters is beyond the checker; the builders above have checked each call. */
function declared(op: {
  readonly kind: Operation["kind"];
  readonly id: string;
  readonly emits: readonly EventType[];
  readonly access?: Audience;
  readonly permission?: Permission;
  readonly publishes?: boolean;
}): Operation {
  const access = op.access ?? "workspace";
  if (op.kind === "command" && op.emits.length === 0 && !op.publishes) {
    throw new Error(`${op.id} changes something and must name its events.`);
  }
  if (access === "workspace" && op.permission === undefined) {
    throw new Error(`${op.id} serves members of a workspace and must name a permission.`);
  }
  return { ...op, access } as unknown as Operation;
}

/** The names in a route's braces. */
export function routeParams(route: Route): string[] {
  return [...route.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}
