import type { EnvironmentName } from "../db/database.ts";
import type { RecordedEvent } from "./event.ts";

/** The value that a condition on events is evaluated against. */
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

/** The whole resource: of a change event its state after it, of others the data itself. */
export function payloadOf(event: RecordedEvent): unknown {
  return isChange(event) ? event.data["after"] : event.data;
}

/**
 * A message's payload is its publisher's, whatever fields it has. A resource whose own fields have these
 * names, as a record's may, has an id beside them.
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
