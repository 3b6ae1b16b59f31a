/** A scheduled job in the API: an artifact with its schedule. */
import Type, { type Static } from "typebox";
import { nextCronTime } from "#domains/workflows/index.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import {
  type Artifact,
  ArtifactId,
  ArtifactSummary,
  type ArtifactDetail,
} from "../artifacts/artifact.ts";
import { ExecutionId, ExecutionStatus } from "../execution/execution.ts";

export const LastExecution = Type.Object(
  {
    executionId: ExecutionId,
    status: ExecutionStatus,
    dueAt: nullable(Time),
    attempt: Type.Integer(),
    startedAt: Time,
    durationMs: Type.Integer(),
  },
  { title: "LastExecution" },
);
export type LastExecution = Static<typeof LastExecution>;

export const ScheduledJob = Type.Object(
  {
    ...ArtifactSummary.properties,
    cron: Type.String(),
    timezone: Type.String(),
    environment: Type.Enum(["production", "staging", "development"]),
    retries: Type.Integer(),
    nextDueAt: nullable(
      Type.String({
        format: "date-time",
        description: "Next scheduled time. Null while it is not `active`",
      }),
    ),
    lastExecution: nullable(LastExecution),
  },
  { title: "ScheduledJob" },
);

/** One execution in the response of `run-due`. */
export const ExecutedJob = Type.Object(
  {
    artifactId: ArtifactId,
    executionId: ExecutionId,
    status: ExecutionStatus,
    dueAt: Time,
  },
  { title: "ExecutedJob" },
);

/** The environment in which a scheduled job runs. */
export function environmentOf({
  detail,
}: {
  readonly detail: Pick<ArtifactDetail, "environment">;
}): EnvironmentName {
  return detail.environment ?? "production";
}

/** The next due time after another. Null when the schedule has ended. */
export function nextTime({ detail }: Pick<Artifact, "detail">, after: Date): Date | null {
  const { cron = "", timezone = "UTC" } = detail;
  return nextCronTime({ cron, timezone }, after);
}
