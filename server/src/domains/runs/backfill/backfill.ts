import Type, { type Static } from "typebox";
import { Backfill, BackfillStarted } from "#domains/workflows/index.ts";
import { ConditionSchema } from "#kernel/condition/condition.ts";
import { event } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { InputTime, line, object, Time } from "#kernel/schema/schema.ts";

const MAX_CONCURRENCY = 50;
const CONCURRENCY_DEFAULT = 5;
/** Maximum number of items in a response. */
export const BACKFILL_LISTED_MAX = 50;

export const BackfillInput = object({
  from: InputTime,
  to: Type.Optional({ ...InputTime, description: "Default: now" }),
  triggerId: Type.Optional(line(40, "Default: the first trigger that supports backfills")),
  filter: Type.Optional(ConditionSchema),
  maxConcurrency: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_CONCURRENCY,
      default: CONCURRENCY_DEFAULT,
      description: "Maximum number of concurrent runs of the backfill",
    }),
  ),
  dryRun: Type.Optional(Type.Boolean({ description: "Returns the result without starting runs" })),
});
export type BackfillInput = Static<typeof BackfillInput>;

/** One event, time or request for which a run is started. */
export const BackfillThing = Type.Object({
  thing: Type.String({
    description: "Event id, stored request id or scheduled time",
  }),
  at: Time,
});

export const BackfillPlan = Type.Object(
  {
    dryRun: Type.Boolean(),
    backfill: Type.Union([Backfill, Type.Null()], { description: "Null for a dry run" }),
    matched: Type.Integer({ description: "Number of matches of a dry run" }),
    things: Type.Array(BackfillThing, { description: `At most ${BACKFILL_LISTED_MAX}` }),
    truncated: Type.Boolean({ description: "True if the dry run did not examine all events" }),
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
  about("A backfill was cancelled. Its active runs continue."),
);
export const BackfillFailed = event(
  "workflow.backfill_failed",
  about("A backfill ended because its workflow is no longer deployed."),
);
export const backfillEvents = [
  BackfillStarted,
  BackfillCompleted,
  BackfillCancelled,
  BackfillFailed,
] as const;

export const BackfillOver = failure("backfill_over", 409, "The backfill has ended.");
