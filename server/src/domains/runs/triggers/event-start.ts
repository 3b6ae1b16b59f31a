import { type PlannedVersion, triggerName } from "#domains/workflows/index.ts";
import { causationOf } from "#kernel/log/event-log.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import type { RunStart } from "../start/start-run.ts";
import { visibleEvent } from "./event-matcher.ts";

/** The fields of a deployed trigger that a run start needs. */
interface StartingTrigger {
  readonly id: string;
  readonly version: PlannedVersion;
  /** The user whose permissions its runs have. */
  readonly deployedBy: string;
  /** A subset of the user's permissions; undefined for all. */
  readonly permissions: readonly string[] | undefined;
}

/** The start of a run for an event. */
export function toRunStart(event: RecordedEvent, trigger: StartingTrigger): RunStart {
  const { version, deployedBy, permissions } = trigger;
  return {
    workspace: event.workspace,
    environment: event.environment,
    version,
    triggerType: "event_bus",
    trigger: {
      type: "event_bus",
      ...triggerName(version.definition, trigger.id),
      event: visibleEvent(event),
    },
    actor: event.actor,
    runAs: deployedBy,
    permissions,
    cause: causationOf(event),
    eventId: event.id,
  };
}
