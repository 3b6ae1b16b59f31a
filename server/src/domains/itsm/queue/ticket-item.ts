import Type, { type Static } from "typebox";
import type { SqlRow } from "#kernel/db/statement.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import { TICKET_KINDS } from "../tickets/index.ts";

const Name = Type.Object(
  { id: Type.String(), name: nullable(Type.String({ description: "Null if unknown" })) },
  { title: "NamedReference" },
);
const OptionalName = Type.Optional(nullable(Name));

export const DUE_STATES = ["running", "paused", "breached"] as const;

/** A ticket of any kind in a queue. */
export const TicketItem = Type.Object(
  {
    kind: Type.Enum([...TICKET_KINDS]),
    id: Type.String(),
    number: Type.String(),
    title: Type.String(),
    state: Type.String(),
    isOpen: Type.Boolean({ description: "Whether the ticket is open" }),
    priority: nullable(Type.Integer({ description: "Null for ticket kinds without priorities" })),
    callerId: nullable(
      Type.String({
        description: "Caller of an incident or recipient of a request",
      }),
    ),
    assigneeId: nullable(Type.String()),
    teamId: nullable(Type.String()),
    onHoldReason: nullable(Type.String()),
    tags: Type.Array(Type.String()),
    fields: Type.Record(Type.String(), Type.Unknown(), {
      description: "Custom fields of this ticket kind",
    }),
    dueAt: nullable(
      Type.String({
        format: "date-time",
        description:
          "Due time of the earliest running SLA clock; can be in the past. Null without a running clock",
      }),
    ),
    dueState: nullable(Type.Enum([...DUE_STATES])),
    dueMetric: nullable(
      Type.String({ description: "The metric that is due: `response`, `resolution`" }),
    ),
    dueReason: nullable(Type.String({ description: "Reason why the SLA clocks are paused" })),
    lastPublicComment: nullable(
      Type.Object({
        by: Type.String(),
        at: Time,
        isCaller: Type.Boolean({
          description: "Whether the requester wrote the last comment and waits for a reply",
        }),
      }),
    ),
    mergedIntoId: nullable(
      Type.String({ description: "The incident that this duplicate was merged into" }),
    ),
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
    caller: OptionalName,
    assignee: OptionalName,
    team: OptionalName,
    creator: OptionalName,
  },
  { title: "TicketItem" },
);
export type TicketItem = Static<typeof TicketItem> & { readonly revision: number };

/** The select list of `toTicketItem`, from `tickets`. */
export const ITEM_COLUMNS = `
  kind, id, number, title, state, is_open as "isOpen", priority, caller_id as "callerId",
  assignee_id as "assigneeId", team_id as "teamId", on_hold_reason as "onHoldReason", tags, fields,
  due_at as "dueAt", due_state as "dueState", due_metric as "dueMetric", comment_by, comment_at,
  case when state = 'cancelled' then
    (select m.target_id from ticket_merges m where m.source_id = tickets.id) end as "mergedIntoId",
  comment_by_caller, created_by as "createdBy", created_at as "createdAt", updated_at as "updatedAt",
  revision`;

/** Converts a row of `ITEM_COLUMNS`. */
export function toTicketItem(row: SqlRow): TicketItem {
  const { comment_by: by, comment_at: at, comment_by_caller: isCaller, ...rest } = row;
  const { dueState, onHoldReason, state } = rest;
  const dueReason = dueState === "paused" ? (onHoldReason ?? state) : null;
  const lastPublicComment = by === null ? null : { by, at, isCaller: isCaller === true };
  // The select list has each field, and the column types guarantee the types.
  return { ...rest, dueReason, lastPublicComment } as unknown as TicketItem;
}
