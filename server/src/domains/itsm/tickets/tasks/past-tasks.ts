/** The tasks of a ticket at a past moment, computed from the ticket's events. */
import type { ReadContext } from "#kernel/contract.ts";
import { NO_REVISION, PastTooLong } from "#kernel/list/past-list.ts";
import { parsePastTime, PastNotKept, readToldEvents } from "#kernel/log/past-state.ts";
import { Failure } from "#kernel/operation/failure.ts";
import type { TicketKind } from "../kind.ts";
import { withBlockers } from "./locked-task.ts";
import { findTasks, type Task, taskEvents, type WaitingTask } from "./task.ts";

const EVENTS_MAX = 10_000;

/** The data of an event: a task and additional fields. */
interface TaskEventData extends Task {
  readonly changes?: unknown;
  readonly before?: unknown;
  readonly waitingIds?: unknown;
}

/** In their order at that moment. */
export async function readPastTasks(
  { tx, now }: ReadContext,
  kind: TicketKind,
  ticketId: string,
  asOf: string,
): Promise<readonly WaitingTask[]> {
  const at = parsePastTime(asOf, now);
  const events = taskEvents(kind);
  const types = Object.values(events).map(({ type }) => type);
  const recorded = await readToldEvents(tx, [{ resourceId: ticketId, types }], EVENTS_MAX + 1);
  if (recorded.length > EVENTS_MAX) throw new Failure(PastTooLong);
  const tasks = new Map<string, Task>();
  const known = new Set<string>();
  const removed = new Set<string>();
  for (const { type, data, createdAt } of recorded) {
    const isThen = new Date(createdAt) <= at;
    if (type === events.Reordered.type) {
      if (isThen) placeTasks(tasks, data["taskIds"] as readonly string[]);
      continue;
    }
    const { changes: _, before: __, waitingIds: ___, ...task } = data as unknown as TaskEventData;
    if (isThen && type === events.Removed.type) {
      tasks.delete(task.id);
      removed.add(task.id);
    } else if (isThen) {
      tasks.set(task.id, task);
      removed.delete(task.id);
    } else if (!known.has(task.id)) assertMadeLater(task, at);
    known.add(task.id);
  }
  for (const task of await findTasks(tx, ticketId)) {
    if (!known.has(task.id)) assertMadeLater(task, at);
  }
  const listed = [...tasks.values()]
    .toSorted((one, other) => one.position - other.position || (one.id < other.id ? -1 : 1))
    .map((task) => ({
      ...task,
      ...NO_REVISION,
      // Dependencies on tasks deleted by that moment are dropped.
      dependsOn: task.dependsOn.filter((id) => !removed.has(id)),
      blockedBy: [],
    }));
  return listed.map((task) => withBlockers(task, listed));
}

/** Throws if the task existed at that moment but the log no longer contains it. */
function assertMadeLater({ createdAt }: Pick<Task, "createdAt">, at: Date): void {
  if (new Date(createdAt) <= at) throw new Failure(PastNotKept);
}

function placeTasks(tasks: Map<string, Task>, order: readonly string[]): void {
  for (const [index, id] of order.entries()) {
    const task = tasks.get(id);
    if (task) tasks.set(id, { ...task, position: index + 1 });
  }
}
