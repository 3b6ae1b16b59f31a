import type { EnvironmentName } from "../db/database.ts";
import type { RecordedEvent } from "./event.ts";

export interface ConditionSubject {
  readonly type: string;
  readonly environment: EnvironmentName;
  readonly actor: RecordedEvent["actor"];
  readonly resource: RecordedEvent["resource"];
  readonly data: unknown;
  readonly before?: unknown;
  readonly changes?: unknown;
}

/** The event as the subject of a condition. */
export function subjectOf(event: RecordedEvent): ConditionSubject {
  const { type, environment, actor, resource } = event;
  const root = event.whole && { [event.whole.root]: payloadOf(event.whole.event) };
  const common = { type, environment, actor, resource, data: payloadOf(event), ...root };
  if (!isChange(event)) return common;
  const { before, changes } = event.data;
  return { ...common, before, changes };
}

/** The whole resource: the new state for a change event, the data for other events. */
export function payloadOf(event: RecordedEvent): unknown {
  return isChange(event) ? event.data["after"] : event.data;
}

/**
 * A publisher's message can have any fields. A resource whose own fields have these names, such as a record,
 * also has an id next to them.
 */
function isChange({ resource, data }: RecordedEvent): boolean {
  return (
    resource.type !== "message" &&
    !("id" in data) &&
    "after" in data &&
    "before" in data &&
    Array.isArray(data["changes"])
  );
}
