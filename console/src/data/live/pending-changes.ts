/** Changes reported by the log that the page has not yet reloaded. */
import type { Schemas } from "../api.ts";
import type { Change } from "./stale.ts";

type LogEvent = Schemas["Event"];

export interface PendingChange extends Change {
  /** The command that caused the change; undefined for its later effects. */
  readonly correlation: string | undefined;
}

/** With more changed resources, or more events of one, details are dropped: everything of these types is stale. */
const PENDING_MAX = 20;

export class PendingChanges {
  readonly #changes = new Map<string, PendingChange>();
  /** The data of each resource's events, by the same names. */
  readonly #data = new Map<string, LogEvent["data"][]>();

  get size(): number {
    return this.#changes.size;
  }

  note(event: LogEvent): void {
    const { type, resource, data } = event;
    const { id, number, type: kind } = resource;
    const correlation = commandOf(event);
    const name = `${type} ${id} ${correlation ?? ""}`;
    const known = this.#data.get(name);
    if ((known?.length ?? this.#changes.size) >= PENDING_MAX) {
      const whatever = { names: [], says: () => true, fields: [], correlation: undefined };
      this.#changes.set(`${type} `, { type, kind, ...whatever });
      return;
    }
    // An earlier event of the same type may have changed other fields.
    const all = [...(known ?? []), data];
    this.#data.set(name, all);
    let text: string | undefined;
    this.#changes.set(name, {
      type,
      kind,
      names: [id, ...(number === null ? [] : [number])],
      says: (other) => (text ??= JSON.stringify(all)).includes(`"${other}"`),
      fields: all.flatMap(({ changes }) => (Array.isArray(changes) ? changes.map(String) : [])),
      correlation,
    });
  }

  /** Returns and clears all changes. */
  take(): readonly PendingChange[] {
    const changes = [...this.#changes.values()];
    this.#changes.clear();
    this.#data.clear();
    return changes;
  }
}

/**
 * Returns the command whose transaction contains an event. Events of jobs and runs come after its response, even if
 * nothing else caused them.
 */
function commandOf(event: LogEvent): string | undefined {
  const { causationId, correlationId, jobId, runId, executionId } = event;
  const isLater = causationId !== null || (jobId ?? runId ?? executionId) !== undefined;
  return isLater ? undefined : correlationId;
}
