import Type, { type Static } from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { extensionPoint } from "#kernel/extension-point.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";

/** The recent runs of a workflow in the environment of the request. Excludes test runs. */
export const WorkflowActivity = Type.Object(
  {
    lastRunAt: nullable(Time),
    lastStatus: nullable(Type.String()),
    nextDueAt: nullable({ ...Time, description: "Next scheduled start" }),
    lastDay: Type.Object(
      {
        total: Type.Integer(),
        completed: Type.Integer(),
        failed: Type.Integer(),
        truncated: Type.Boolean({ description: "Whether there are more than 1,000 runs" }),
      },
      { description: "Runs started in the last 24 hours" },
    ),
    recent: Type.Array(
      Type.Object({
        id: Type.String(),
        status: Type.String(),
        createdAt: Time,
        durationMs: nullable(Type.Integer()),
      }),
      { description: "The last 20 runs, newest first" },
    ),
  },
  { title: "WorkflowActivity" },
);
export type WorkflowActivity = Static<typeof WorkflowActivity>;

/** Reads the activity of several workflows at once. Workflows without runs and schedules are omitted. */
export type ActivityReader = (
  tx: Tx,
  workflowIds: readonly string[],
  now: Date,
) => Promise<ReadonlyMap<string, WorkflowActivity>>;

/** Extension point through which the runs domain provides activity. */
export const WorkflowActivityPoint = extensionPoint<ActivityReader>("workflows.activity");

export const NO_ACTIVITY: WorkflowActivity = {
  lastRunAt: null,
  lastStatus: null,
  nextDueAt: null,
  lastDay: { total: 0, completed: 0, failed: 0, truncated: false },
  recent: [],
};
