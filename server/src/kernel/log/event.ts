import Type, { type Static, type TObject, type TSchema } from "typebox";
import { decodeNumber, encodeNumber, workspaceIdOf } from "../schema/id.ts";
import type { EnvironmentName } from "../db/database.ts";

/** An event type: named in the past tense, never edited. Its schema may only gain optional fields. */
export interface EventType<Name extends string = string, Data extends TSchema = TSchema> {
  readonly type: Name;
  /** The type of the affected resource. */
  readonly resource: string;
  readonly summary: string;
  readonly data: Data;
}

export type EventData<E extends EventType> = Static<E["data"]>;

/** The resource of an event. Tickets have a number, most others a name. */
export interface ResourceRef {
  readonly id: string;
  readonly number?: string;
  readonly displayName?: string;
}

export interface Actor {
  readonly id: string;
  readonly name: string;
  readonly type: "user" | "api_token" | "workflow" | "system";
}

export const SYSTEM_ACTOR: Actor = { id: "system", name: "Millrace", type: "system" };

/** The causal chain of a transaction. A chain of automations ends at `CAUSATION_DEPTH_MAX`. */
export interface Causation {
  readonly correlationId: string;
  readonly causationId?: string;
  readonly depth: number;
  /** The run, execution or job that the transaction belongs to. */
  readonly madeBy?: EventMaker;
}

/** A run and its step, a script execution, or a job and its kind. */
export interface EventMaker {
  /** `run_…`, `exe_…` or `job_…`. */
  readonly id: string;
  /** The step of a run or the kind of a job. */
  readonly stepId?: string;
}

export const CAUSATION_DEPTH_MAX = 16;

/** The position of an event in the log. */
export interface LogPosition {
  readonly epoch: number;
  readonly xid: number;
  readonly seq: number;
}

export interface RecordedEvent {
  readonly position: LogPosition;
  /** The id of the writing transaction. The position can belong to a later one. */
  readonly transaction: number;
  readonly id: string;
  readonly workspace: string;
  readonly environment: EnvironmentName;
  readonly topic: string;
  readonly type: string;
  readonly actor: Actor;
  readonly resource: {
    readonly type: string;
    readonly id: string;
    readonly number: string | null;
    readonly displayName: string | null;
  };
  readonly requestId: string | null;
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly depth: number;
  readonly madeBy?: EventMaker;
  readonly createdAt: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Attached if a condition needs it: the last event up to this one that contains the whole resource. */
  readonly whole?: { readonly root: string; readonly event: RecordedEvent };
}

/** Declares an event whose `data` is the resource. */
export function event<Name extends `${string}.${string}`, Data extends TObject>(
  type: Name,
  about: { resource: string; summary: string; data: Data },
): EventType<Name, Data> {
  return { type, ...about };
}

/** Declares a change event: `data` contains the resource before and after, and the changed fields. */
export function changeEvent<Name extends `${string}.${string}`, Data extends TObject>(
  type: Name,
  about: { resource: string; summary: string; data: Data },
) {
  const { data: resource } = about;
  const data = Type.Object({
    before: resource,
    after: resource,
    changes: Type.Array(Type.String()),
  });
  return event(type, { ...about, data });
}

/** The `data` of a change event. `updatedAt` does not count as a change. */
export function diffResource<T extends object>(before: T, after: T) {
  const changes = Object.keys(after).filter((field) => {
    if (field === "updatedAt") return false;
    const [old, now] = [before, after].map((resource) => resource[field as keyof T]);
    return old !== now && JSON.stringify(old) !== JSON.stringify(now);
  });
  return { before, after, changes };
}

const EPOCH_CHARACTERS = 2;
const XID_CHARACTERS = 10;
const SEQ_CHARACTERS = 10;
const ID = /^evt_[0-9a-hjkmnp-tv-z]{22}$/;

/** The pattern of event ids, for schemas. */
export const EVENT_ID_PATTERN = ID.source;

/**
 * The id of an event is its position in the log, so cursors need no look-up or separate index, and ids sort
 * like the log.
 */
export function eventIdOf({ epoch, xid, seq }: LogPosition): string {
  return `evt_${encodeNumber(epoch, EPOCH_CHARACTERS)}${encodeNumber(xid, XID_CHARACTERS)}${encodeNumber(seq, SEQ_CHARACTERS)}`;
}

export function positionOf(id: string): LogPosition | undefined {
  if (!ID.test(id)) return undefined;
  const epoch = decodeNumber(id.slice(4, 6));
  const xid = decodeNumber(id.slice(6, 16));
  const seq = decodeNumber(id.slice(16));
  if (epoch === undefined || xid === undefined || seq === undefined) return undefined;
  return { epoch, xid, seq };
}

export const ActorSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  type: Type.Enum(["user", "api_token", "workflow", "system"]),
});

/** The envelope of every event, in the audit log and on the bus. */
export const EventEnvelope = Type.Object(
  {
    id: Type.String({ pattern: EVENT_ID_PATTERN }),
    type: Type.String(),
    workspaceId: Type.String(),
    environment: Type.Enum(["production", "staging", "development"]),
    createdAt: Type.String({ format: "date-time" }),
    actor: ActorSchema,
    resource: Type.Object({
      type: Type.String(),
      id: Type.String(),
      number: Type.Unsafe<string | null>({ type: ["string", "null"] }),
      displayName: Type.Unsafe<string | null>({ type: ["string", "null"] }),
    }),
    requestId: Type.Unsafe<string | null>({ type: ["string", "null"] }),
    correlationId: Type.String(),
    causationId: Type.Unsafe<string | null>({ type: ["string", "null"] }),
    depth: Type.Integer(),
    runId: Type.Optional(Type.String({ description: "The run that created the event" })),
    stepId: Type.Optional(Type.String({ description: "The step of that run" })),
    executionId: Type.Optional(
      Type.String({
        description: "The script execution that created the event, if it did not belong to a run",
      }),
    ),
    jobId: Type.Optional(Type.String({ description: "The job that created the event" })),
    jobKind: Type.Optional(Type.String({ description: "The type of that job" })),
    data: Type.Record(Type.String(), Type.Unknown()),
  },
  { title: "Event" },
);

export function toEventEnvelope(recorded: RecordedEvent): Static<typeof EventEnvelope> {
  const {
    position: _,
    transaction: __,
    workspace,
    topic: ___,
    whole: ____,
    madeBy,
    ...rest
  } = recorded;
  return { ...rest, workspaceId: workspaceIdOf(workspace), ...makerFields(madeBy) };
}

/** The envelope fields that name the maker of the event. Empty for actions of users. */
export function makerFields(madeBy: EventMaker | undefined): {
  readonly runId?: string;
  readonly stepId?: string;
  readonly executionId?: string;
  readonly jobId?: string;
  readonly jobKind?: string;
} {
  if (!madeBy) return {};
  const { id, stepId } = madeBy;
  if (id.startsWith("exe_")) return { executionId: id };
  if (id.startsWith("job_")) {
    return { jobId: id, ...(stepId !== undefined && { jobKind: stepId }) };
  }
  return { runId: id, ...(stepId !== undefined && { stepId }) };
}

/** Returns the namespace of a type, used as the topic. */
export function topicOf(type: string): string {
  return type.slice(0, type.indexOf("."));
}

/** An entry of the event catalog in the API. */
export const EventTypeSchema = Type.Object(
  {
    type: Type.String(),
    resource: Type.String(),
    summary: Type.String(),
    data: Type.Record(Type.String(), Type.Unknown(), { description: "JSON Schema of `data`" }),
    undoable: Type.Boolean({ description: "True if `POST /undo` can revert the event" }),
  },
  { title: "EventType" },
);

export type CatalogEntry = Static<typeof EventTypeSchema>;
