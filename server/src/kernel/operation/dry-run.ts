/**
 * A dry run performs a command in its transaction and rolls it back: response, events and changes are those of
 * the real call, and nothing is stored.
 */
import Type, { type Static } from "typebox";
import type { Caller } from "../access/caller.ts";
import type { Operation, WriteContext } from "../contract.ts";
import type { Partition, Transaction } from "../db/database.ts";
import { partitionName } from "../db/partition.ts";
import { EVENT_COLUMNS, type EventRow, PRESENT_EPOCH_SQL, toEvent } from "../log/event-log.ts";
import { filterEvents, visibilityContext } from "../log/event-visibility.ts";
import type { RecordedEvent } from "../log/event.ts";
import type { InvocationResult } from "./invocation.ts";

/** Further events are counted but not shown, because an import can have a hundred thousand. */
const EVENTS_MAX = 100;

/** Permissions that include reading events. Other callers see only event types. */
const AUDIT_PERMISSION = "audit:read";
const LOG_PERMISSIONS = [AUDIT_PERMISSION, "events:read"];
/** The topic with a separate permission. */
const AUDIT_TOPIC = "audit";

const CHECK_CONSTRAINTS = "set constraints all immediate";

/** The events of this transaction and their number. */
const READ_OWN_EVENTS = `
  select ${EVENT_COLUMNS}, (count(*) over ())::int as n from events e
   where e.epoch = ${PRESENT_EPOCH_SQL} and e.xid >= pg_current_xact_id()
     and coalesce(e.tx, e.xid) = pg_current_xact_id()
   order by e.epoch, e.xid, e.seq limit $1`;
type OwnEventRow = EventRow & { readonly n: number };

const nullable = Type.Unsafe<unknown>({});

export const DryRun = Type.Object(
  {
    answer: Type.Unsafe<{ status: number; body: unknown } | null>({
      type: ["object", "null"],
      description: "The response of the call: `status` and `body`. Null if the call was not made",
    }),
    events: Type.Array(
      Type.Object({
        type: Type.String(),
        resource: Type.Object({
          type: Type.String(),
          id: Type.String(),
          number: Type.Unsafe<string | null>({ type: ["string", "null"] }),
          displayName: Type.Unsafe<string | null>({ type: ["string", "null"] }),
        }),
        data: Type.Record(Type.String(), Type.Unknown()),
      }),
      { description: `The events that the call would append; at most ${EVENTS_MAX}` },
    ),
    eventCount: Type.Integer({
      description: "Total number of events that you can view",
    }),
    changes: Type.Array(
      Type.Object({
        resource: Type.Object({ type: Type.String(), id: Type.String() }),
        fields: Type.Array(Type.String()),
        before: nullable,
        after: nullable,
      }),
      { description: "The resources that the events would change, before and after" },
    ),
    leftOut: Type.Unsafe<string | null>({
      type: ["string", "null"],
      description:
        "The reason if the call was not made, for example because it calls another system",
    }),
  },
  { title: "DryRun" },
);
type DryRunValue = Static<typeof DryRun>;

/** True for commands of members. Anonymous calls that check a password or code must never run without a log entry. */
export function supportsDryRun({ kind, access, readsRequest, query }: Operation): boolean {
  const isOwn = query?.properties["dryRun"] !== undefined;
  return kind === "command" && access === "workspace" && !readsRequest && !isOwn;
}

/** Why a command is not run at all. */
export function reasonToLeaveOut(op: Operation): string | undefined {
  if (op.streamsBody) return "The file was not read.";
  if (op.actsOutside) return "The call affects other systems and can't be rolled back.";
  if (op.issuesCredential) return "The call returns a credential.";
  return undefined;
}

/** The outcome of a dry run: a failure unchanged, otherwise the response with its changes. */
export async function describeOutcome(
  outcome: InvocationResult,
  { session, ctx, partition }: DryAct,
): Promise<InvocationResult> {
  if (outcome.status >= 400) return outcome;
  if (partitionName(session.partition) !== partitionName(partition)) session.enter(partition);
  // The commit would check the constraints. Both statements are sent together; if the first fails, its error is
  // reported.
  const [, rows] = await Promise.all([
    session.send(CHECK_CONSTRAINTS, []),
    session.send<OwnEventRow>(READ_OWN_EVENTS, [EVENTS_MAX]),
  ]);
  const { events, eventCount } = await selectVisible(ctx, rows);
  return toDryResponse({
    answer: { status: outcome.status, body: toJson(outcome.body) },
    events: events.map(({ type, resource, data }) => ({ type, resource, data })),
    eventCount,
    changes: events.flatMap((event) => toChange(event) ?? []),
    leftOut: null,
  });
}

export interface DryAct {
  readonly session: Transaction;
  readonly ctx: WriteContext;
  readonly partition: Partition;
}

/** Describes a command that was validated but not performed. */
export function describeLeftOut(reason: string): InvocationResult {
  return toDryResponse({ answer: null, events: [], eventCount: 0, changes: [], leftOut: reason });
}

function toDryResponse(data: DryRunValue): InvocationResult {
  return {
    status: 200,
    headers: { "preference-applied": "dry-run", "cache-control": "no-store" },
    body: JSON.stringify({ data }),
  };
}

function toJson(body: string | undefined): unknown {
  if (body === undefined || body === "") return null;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** The events of this transaction that the caller can see. */
async function selectVisible(
  ctx: WriteContext,
  rows: readonly OwnEventRow[],
): Promise<{ readonly events: readonly RecordedEvent[]; readonly eventCount: number }> {
  const { caller } = ctx;
  const visible = await filterEvents(visibilityContext(ctx), caller.principal, rows.map(toEvent));
  const events = visible.map((event) => (mayRead(caller, event) ? event : withoutContent(event)));
  // The total would reveal the number of hidden resources.
  const isWhole = visible.length === rows.length;
  return { events, eventCount: isWhole ? (rows[0]?.n ?? 0) : visible.length };
}

function mayRead({ permissions }: Caller, { topic }: RecordedEvent): boolean {
  if (topic === AUDIT_TOPIC) return permissions.has(AUDIT_PERMISSION);
  return LOG_PERMISSIONS.some((name) => permissions.has(name));
}

/** The display name is part of the resource's content. */
function withoutContent(event: RecordedEvent): RecordedEvent {
  return { ...event, data: {}, resource: { ...event.resource, number: null, displayName: null } };
}

/** Converts an event to a change. A created resource has no previous state, a deleted one no new state. */
function toChange({ type, resource, data }: RecordedEvent) {
  if (Object.keys(data).length === 0) return undefined;
  const about = { resource: { type: resource.type, id: resource.id } };
  if ("before" in data && "after" in data) {
    const fields = Array.isArray(data["changes"]) ? data["changes"].map(String) : [];
    return { ...about, fields, before: data["before"], after: data["after"] };
  }
  if (type.endsWith(".created")) return { ...about, fields: [], before: null, after: data };
  if (type.endsWith(".deleted")) return { ...about, fields: [], before: data, after: null };
  return undefined;
}
