import Type, { type Static } from "typebox";
import { permission } from "#kernel/access/permission.ts";
import { EVENT_ID_PATTERN } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { idPattern } from "#kernel/schema/id.ts";
import { object } from "#kernel/schema/schema.ts";

export const UndoWrite = permission("undo:write", "Undo changes that one may make", [
  "builder",
  "agent",
  "change_manager",
  "member",
]);

/** More events could not be undone within the transaction's time limit. */
export const EVENTS_MAX = 30_000;
/** The limit for resources that are read and changed one at a time. */
export const THINGS_MAX = 500;
/** The maximum number of conflicts and changes in a response. */
export const LISTED_MAX = 200;

export const UndoInput = object({
  eventId: Type.Optional(
    Type.String({ pattern: EVENT_ID_PATTERN, description: "The change of one event" }),
  ),
  correlationId: Type.Optional(
    Type.String({
      pattern: idPattern("cor"),
      description: "All changes of one request, import or run, and of what those caused",
    }),
  ),
  runId: Type.Optional(
    Type.String({ pattern: idPattern("run"), description: "All changes that a run made" }),
  ),
  dryRun: Type.Optional(
    Type.Boolean({ description: "Tells what would be undone, and changes nothing" }),
  ),
  onConflict: Type.Optional(
    Type.Enum(["refuse", "skip"], {
      default: "refuse",
      description:
        "Where something was changed since: `refuse` undoes nothing, `skip` undoes the rest",
    }),
  ),
});
export type UndoInput = Static<typeof UndoInput>;

const Thing = Type.Object({ type: Type.String(), id: Type.String() });

const UndoConflict = Type.Object({
  resource: Thing,
  eventId: Type.Union([Type.String(), Type.Null()]),
  path: Type.String({ description: "`/type/id`, and the field where it is about one" }),
  message: Type.String(),
});
export type UndoConflict = Static<typeof UndoConflict>;

const UndoneChange = Type.Object({
  resource: Thing,
  act: Type.Enum(["deleted", "changed", "restored"]),
  fields: Type.Array(Type.String(), { description: "Those that got their values back" }),
});
export type UndoneChange = Static<typeof UndoneChange>;

export const UndoResult = Type.Object(
  {
    correlationId: Type.String({ description: "Of the undo, by which it can be undone itself" }),
    dryRun: Type.Boolean(),
    things: Type.Integer({ description: "How many things were changed back" }),
    changes: Type.Array(UndoneChange, { description: `The first ${LISTED_MAX} of them` }),
    conflicts: Type.Array(UndoConflict, {
      description: `What was left as it is; the first ${LISTED_MAX}`,
    }),
    conflictCount: Type.Integer(),
    left: Type.Array(Type.Object({ type: Type.String(), count: Type.Integer() }), {
      description: "Events that have no inverse, such as a mail that was sent",
    }),
  },
  { title: "Undo" },
);
export type UndoResult = Static<typeof UndoResult>;

export const UndoRefused = failure(
  "undo_refused",
  409,
  "Something was changed since, or may not be changed back. Nothing was undone.",
);
export const NothingToUndo = failure(
  "nothing_to_undo",
  409,
  "None of these changes has an inverse.",
);
export const TooManyChanges = failure(
  "too_many_changes",
  422,
  `At most ${EVENTS_MAX} events, and ${THINGS_MAX} things that are not records, are undone at once.`,
);
export const NoSuchChange = failure(
  "no_such_change",
  404,
  "The log has no such change, or not for you.",
);
export const TooManyConflicts = failure(
  "too_many_conflicts",
  409,
  "More things refuse than can be skipped. Nothing was undone.",
);

export const UndoableTypes = Type.Object(
  { types: Type.Array(Type.String(), { description: "Types of events that have an inverse" }) },
  { title: "UndoableTypes" },
);
