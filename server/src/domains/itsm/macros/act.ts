/**
 * Actions for macros and bulk changes. They use the commands of the ticket kind, including permissions and
 * checks.
 */
import Type, { type Static } from "typebox";
import { id, InputTime, line, object, text } from "#kernel/schema/schema.ts";
import { anyTicketRef, LINK_TYPES, Tag, type TicketKind, ticketRef } from "../tickets/index.ts";
import type { TicketItem } from "../queue/index.ts";

const Tags = Type.Array(Tag, { maxItems: 50 });
const reason = Type.Optional(line(2_000));

const MACRO_ACTS = [
  object({
    act: Type.Literal("set"),
    set: Type.Record(Type.String(), Type.Unknown(), {
      minProperties: 1,
      maxProperties: 50,
      description: 'Fields of the update operation: `{ teamId, urgency, fields: { floor: "2" } }`',
    }),
  }),
  object({ act: Type.Literal("tag"), add: Type.Optional(Tags), remove: Type.Optional(Tags) }),
  object({ act: Type.Literal("take") }),
  object({
    act: Type.Literal("comment"),
    body: Type.Optional(text(50_000)),
    textModuleId: Type.Optional(
      id("tmo", "Replaces `body`. The placeholders are filled in for each ticket"),
    ),
    internal: Type.Optional(Type.Boolean()),
  }),
  object({ act: Type.Literal("hold"), reason, until: Type.Optional(InputTime) }),
  object({ act: Type.Literal("resume") }),
  object({
    act: Type.Literal("resolve"),
    resolution: line(20_000),
    resolutionCode: Type.Optional(line(100)),
  }),
  object({ act: Type.Literal("close") }),
  object({ act: Type.Literal("reopen"), reason }),
  object({ act: Type.Literal("cancel"), reason }),
] as const;

export const Act = Type.Union([...MACRO_ACTS], { title: "TicketAct" });
export type Act = Static<typeof Act>;

/**
 * A bulk change can reference another ticket. A macro cannot, because it would keep the same reference for months.
 */
export const BulkAct = Type.Union(
  [
    ...MACRO_ACTS,
    object({
      act: Type.Literal("merge"),
      intoId: ticketRef("incident", "inc"),
    }),
    object({
      act: Type.Literal("link"),
      type: Type.Optional(Type.Enum([...LINK_TYPES], { description: "Default: `relates_to`" })),
      ticketId: anyTicketRef(),
    }),
    object({
      act: Type.Literal("add_to_major"),
      majorId: ticketRef("incident", "inc"),
    }),
  ],
  { title: "BulkTicketAct" },
);
export type BulkAct = Static<typeof BulkAct>;

/** The commands that actions call, if the ticket kind has them. */
export const ACT_VERBS = [
  "update",
  "take",
  "add_comment",
  "resolve",
  "close",
  "reopen",
  "cancel",
] as const;

/** Includes commands that only bulk changes use. */
export const BULK_VERBS = [...ACT_VERBS, "merge", "add_link", "add_child"] as const;

/** The command call of an action on one ticket. */
export interface ActCall {
  readonly verb: (typeof BULK_VERBS)[number];
  /** The ticket of the command, if different. */
  readonly on?: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Converts an action to a call. `comment` is the text from the body or text module. */
export function toActCall(
  act: BulkAct,
  ticket: Pick<TicketItem, "id" | "tags">,
  { kind }: Pick<TicketKind, "kind">,
  comment: string | undefined,
): ActCall | undefined {
  switch (act.act) {
    case "set":
      return { verb: "update", body: act.set };
    case "tag": {
      const removed = new Set(act.remove?.map((tag) => tag.toLowerCase()));
      const kept = ticket.tags.filter((tag) => !removed.has(tag));
      return { verb: "update", body: { tags: [...kept, ...(act.add ?? [])] } };
    }
    case "take":
      return { verb: "take", body: {} };
    case "comment":
      return {
        verb: "add_comment",
        body: { body: comment ?? "", internal: act.internal ?? false },
      };
    case "hold": {
      const onHoldReason = act.reason === undefined ? {} : { onHoldReason: act.reason };
      const holdUntil = act.until === undefined ? {} : { holdUntil: act.until };
      return kind === "incident"
        ? { verb: "update", body: { state: "on_hold", ...onHoldReason, ...holdUntil } }
        : undefined;
    }
    case "resume":
      return kind === "incident" ? { verb: "update", body: { state: "in_progress" } } : undefined;
    case "resolve": {
      const { resolution, resolutionCode } = act;
      const code = kind === "incident" && resolutionCode !== undefined ? { resolutionCode } : {};
      return { verb: "resolve", body: { resolution, ...code } };
    }
    case "close":
      return { verb: "close" };
    case "merge":
      return { verb: "merge", body: { intoId: act.intoId } };
    case "link": {
      const { type = "relates_to", ticketId } = act;
      return { verb: "add_link", body: { type, ticketId } };
    }
    case "add_to_major":
      return kind === "incident"
        ? { verb: "add_child", on: act.majorId, body: { incidentId: ticket.id } }
        : undefined;
    case "reopen":
    case "cancel":
      return { verb: act.act, ...(act.reason !== undefined && { body: { reason: act.reason } }) };
  }
}
