import { cronOf } from "#domains/workflows/index.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import type { Artifact, Detail } from "../artifacts/artifact.ts";

/** Where a scheduled job runs. */
export function environmentOf({
  detail,
}: {
  readonly detail: Pick<Detail, "environment">;
}): EnvironmentName {
  return detail.environment ?? "production";
}

/** The first time after another; none for a schedule whose last one has passed. */
export function nextTime({ detail }: Pick<Artifact, "detail">, after: Date): Date | null {
  const { cron = "", timezone = "UTC" } = detail;
  return cronOf({ cron, timezone }).nextRun(after);
}
