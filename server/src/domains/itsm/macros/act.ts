/**
 * The acts that macros and bulk changes are made of. Each is one command of the ticket's kind, with its rights and
 * checks.
 */
import Type, { type Static } from "typebox";
import { id, InputTime, line, object, text } from "#kernel/schema/schema.ts";
import { Tag, type TicketKind } from "../tickets/index.ts";
import type { TicketItem } from "../queue/index.ts";

const Tags = Type.Array(Tag, { maxItems: 50 });
const reason = Type.Optional(line(2_000));

export const Act = Type.Union(
  [
    object({
      act: Type.Literal("set"),
      set: Type.Record(Type.String(), Type.Unknown(), {
        minProperties: 1,
        maxProperties: 50,
        description:
          'Fields as PATCH of the kind takes them: `{ teamId, urgency, fields: { floor: "2" } }`',
      }),
    }),
    object({ act: Type.Literal("tag"), add: Type.Optional(Tags), remove: Type.Optional(Tags) }),
    object({ act: Type.Literal("take") }),
    object({
      act: Type.Literal("comment"),
      body: Type.Optional(text(50_000)),
      textModuleId: Type.Optional(id("tmo", "In the place of `body`: filled in for each ticket")),
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
  ],
  { title: "TicketAct" },
);
export type Act = Static<typeof Act>;

/** The commands that acts call, where a kind has them. */
export const ACT_VERBS = [
  "update",
  "take",
  "add_comment",
  "resolve",
  "close",
  "reopen",
  "cancel",
] as const;

/** The call of a command that an act is on one ticket. */
export interface ActCall {
  readonly verb: (typeof ACT_VERBS)[number];
  readonly body?: Readonly<Record<string, unknown>>;
}

/** The call of an act; `comment` is the text that it says, of its body or its text module. */
export function toActCall(
  act: Act,
  ticket: Pick<TicketItem, "tags">,
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
    case "reopen":
    case "cancel":
      return { verb: act.act, ...(act.reason !== undefined && { body: { reason: act.reason } }) };
  }
}
