import Type, { type Static } from "typebox";
import { permission } from "#kernel/access/permission.ts";
import { EVENT_ID_PATTERN } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { idPattern } from "#kernel/schema/id.ts";
import { object } from "#kernel/schema/schema.ts";

export const UndoWrite = permission("undo:write", "Undo changes that you can make", [
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
    Type.String({ pattern: EVENT_ID_PATTERN, description: "Undoes the change of one event" }),
  ),
  correlationId: Type.Optional(
    Type.String({
      pattern: idPattern("cor"),
      description: "Undoes all changes of one request, import or run, and their consequences",
    }),
  ),
  runId: Type.Optional(
    Type.String({ pattern: idPattern("run"), description: "Undoes all changes of a run" }),
  ),
  dryRun: Type.Optional(
    Type.Boolean({ description: "Returns the result without changing anything" }),
  ),
  onConflict: Type.Optional(
    Type.Enum(["refuse", "skip"], {
      default: "refuse",
      description:
        "If something was changed later: `refuse` undoes nothing, `skip` undoes the rest",
    }),
  ),
});
export type UndoInput = Static<typeof UndoInput>;

const Thing = Type.Object({ type: Type.String(), id: Type.String() });

const UndoConflict = Type.Object({
  resource: Thing,
  eventId: Type.Union([Type.String(), Type.Null()]),
  path: Type.String({
    description: "`/type/id`, and the field if the conflict is about one field",
  }),
  message: Type.String(),
});
export type UndoConflict = Static<typeof UndoConflict>;

const UndoneChange = Type.Object({
  resource: Thing,
  act: Type.Enum(["deleted", "changed", "restored"]),
  fields: Type.Array(Type.String(), { description: "Restored fields" }),
});
export type UndoneChange = Static<typeof UndoneChange>;

export const UndoResult = Type.Object(
  {
    correlationId: Type.String({
      description: "Correlation id of the undo. Use it to undo the undo",
    }),
    dryRun: Type.Boolean(),
    things: Type.Integer({ description: "Number of reverted resources" }),
    changes: Type.Array(UndoneChange, { description: `At most ${LISTED_MAX}` }),
    conflicts: Type.Array(UndoConflict, {
      description: `Skipped changes; at most ${LISTED_MAX}`,
    }),
    conflictCount: Type.Integer(),
    left: Type.Array(Type.Object({ type: Type.String(), count: Type.Integer() }), {
      description: "Event types that can't be undone. Example: a sent e-mail",
    }),
  },
  { title: "Undo" },
);
export type UndoResult = Static<typeof UndoResult>;

export const UndoRefused = failure(
  "undo_refused",
  409,
  "Some changes were changed again later, or can't be undone by you. Nothing was undone.",
);
export const NothingToUndo = failure(
  "nothing_to_undo",
  409,
  "None of these changes can be undone.",
);
export const TooManyChanges = failure(
  "too_many_changes",
  422,
  `At most ${EVENTS_MAX} events, and ${THINGS_MAX} resources other than records, can be undone at once.`,
);
export const NoSuchChange = failure(
  "no_such_change",
  404,
  "The change does not exist in the log, or you can't see it.",
);
export const TooManyConflicts = failure(
  "too_many_conflicts",
  409,
  "Too many changes have conflicts. Nothing was undone.",
);

export const UndoableTypes = Type.Object(
  { types: Type.Array(Type.String(), { description: "Event types that can be undone" }) },
  { title: "UndoableTypes" },
);
