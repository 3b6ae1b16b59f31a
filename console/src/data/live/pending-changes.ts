/** Changes that the log has told of and the page has not yet read again. */
import type { Schemas } from "../api.ts";
import type { Change } from "./stale.ts";

type LogEvent = Schemas["Event"];

export interface PendingChange extends Change {
  /** The command that did it; none of what followed from that later. */
  readonly correlation: string | undefined;
}

/** Of more things at once, or more events of one, each is not looked for: whatever is of their kinds is stale. */
const PENDING_MAX = 20;

export class PendingChanges {
  readonly #changes = new Map<string, PendingChange>();
  /** What the events of each said, by the same names. */
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
    // An earlier event of the same name said something else, and changed other fields.
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

  /** Gives all of it, which is then taken for read. */
  take(): readonly PendingChange[] {
    const changes = [...this.#changes.values()];
    this.#changes.clear();
    this.#data.clear();
    return changes;
  }
}

/**
 * The command whose transaction an event is of. What a job or a run does comes after the answer, though nothing else
 * caused it.
 */
function commandOf(event: LogEvent): string | undefined {
  const { causationId, correlationId, jobId, runId, executionId } = event;
  const isLater = causationId !== null || (jobId ?? runId ?? executionId) !== undefined;
  return isLater ? undefined : correlationId;
}
