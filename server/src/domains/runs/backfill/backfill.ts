import Type, { type Static } from "typebox";
import { Backfill, BackfillStarted } from "#domains/workflows/index.ts";
import { ConditionSchema } from "#kernel/condition/condition.ts";
import { event } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { InputTime, line, object, Time } from "#kernel/schema/schema.ts";

const MAX_CONCURRENCY = 50;
const CONCURRENCY_DEFAULT = 5;
/** Things that an answer lists. */
export const BACKFILL_LISTED_MAX = 50;

export const BackfillInput = object({
  from: InputTime,
  to: Type.Optional({ ...InputTime, description: "Now unless given" }),
  triggerId: Type.Optional(line(40, "The first that can be run for the past unless given")),
  filter: Type.Optional(ConditionSchema),
  maxConcurrency: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_CONCURRENCY,
      default: CONCURRENCY_DEFAULT,
      description: "How many of its runs are under way at once",
    }),
  ),
  dryRun: Type.Optional(
    Type.Boolean({ description: "Tells what would be started, and starts nothing" }),
  ),
});
export type BackfillInput = Static<typeof BackfillInput>;

/** One event, time or request for which a run is started. */
export const BackfillThing = Type.Object({
  thing: Type.String({
    description: "The id of an event or of a kept request, or a time of a schedule",
  }),
  at: Time,
});

export const BackfillPlan = Type.Object(
  {
    dryRun: Type.Boolean(),
    backfill: Type.Union([Backfill, Type.Null()], { description: "Null for a dry run" }),
    matched: Type.Integer({ description: "How many a dry run found" }),
    things: Type.Array(BackfillThing, { description: `The first ${BACKFILL_LISTED_MAX} of them` }),
    truncated: Type.Boolean({ description: "True where the dry run did not look at everything" }),
  },
  { title: "BackfillPlan" },
);
export type BackfillPlan = Static<typeof BackfillPlan>;

const about = (summary: string) => ({ resource: "backfill", summary, data: Backfill });
export const BackfillCompleted = event(
  "workflow.backfill_completed",
  about("A backfill started its last run."),
);
export const BackfillCancelled = event(
  "workflow.backfill_cancelled",
  about("A backfill was cancelled; runs that it started go on."),
);
export const BackfillFailed = event(
  "workflow.backfill_failed",
  about("A backfill ended, since its workflow is no longer deployed."),
);
export const backfillEvents = [
  BackfillStarted,
  BackfillCompleted,
  BackfillCancelled,
  BackfillFailed,
] as const;

export const BackfillOver = failure("backfill_over", 409, "The backfill is over.");
