/** The operations on tasks, by the kind of their ticket. */
import { call, invalidate, type Schemas } from "../data/api.ts";
import { applyChange } from "../data/change.ts";

export type TaskKind = "change" | "request";
export type Task = Schemas["TaskWithBlockers"];

export const LIST = { change: "changes.list_tasks", request: "requests.list_tasks" } as const;
export const ADD = { change: "changes.add_task", request: "requests.add_task" } as const;
export const UPDATE = { change: "changes.update_task", request: "requests.update_task" } as const;
const COMPLETE = { change: "changes.complete_task", request: "requests.complete_task" } as const;
const SKIP = { change: "changes.skip_task", request: "requests.skip_task" } as const;
const REOPEN = { change: "changes.reopen_task", request: "requests.reopen_task" } as const;
const REMOVE = { change: "changes.remove_task", request: "requests.remove_task" } as const;
const ORDER = { change: "changes.order_tasks", request: "requests.order_tasks" } as const;
export const WRITE = { change: "changes:write", request: "requests:work" } as const;

export const refreshTasks = (): void =>
  invalidate(["changes.", "requests.", "tasks.", "home.", "tickets."]);

interface TaskPlace {
  readonly kind: TaskKind;
  readonly ticketId: string;
}

type Named = Pick<Task, "id" | "title">;

const paramsOf = ({ ticketId }: TaskPlace, taskId: string) => ({ id: ticketId, taskId });

/** A task is done; the way back opens it again. */
export function completeTask(place: TaskPlace, { id, title }: Named): Promise<boolean> {
  const params = paramsOf(place, id);
  return applyChange({
    send: () => call(COMPLETE[place.kind], { params, body: {} }).then(refreshTasks),
    said: `“${title}” is done`,
    undo: () => call(REOPEN[place.kind], { params }).then(refreshTasks),
  });
}

export function reopenTask(place: TaskPlace, { id, title }: Named): Promise<boolean> {
  const params = paramsOf(place, id);
  return applyChange({
    send: () => call(REOPEN[place.kind], { params }).then(refreshTasks),
    said: `“${title}” is open again`,
  });
}

export function skipTask(place: TaskPlace, { id, title }: Named, notes: string): Promise<boolean> {
  const params = paramsOf(place, id);
  return applyChange({
    send: () => call(SKIP[place.kind], { params, body: { notes } }).then(refreshTasks),
    said: `“${title}” is skipped`,
    undo: () => call(REOPEN[place.kind], { params }).then(refreshTasks),
  });
}

export function removeTask(place: TaskPlace, { id, title }: Named): Promise<boolean> {
  return applyChange({
    send: () => call(REMOVE[place.kind], { params: paramsOf(place, id) }).then(refreshTasks),
    said: `“${title}” is removed`,
  });
}

/** Moves a task among those of its ticket. */
export function moveTask(
  { kind, ticketId }: TaskPlace,
  tasks: readonly Named[],
  { id, title }: Named,
  by: number,
): Promise<boolean> {
  const order = tasks.map((task) => task.id);
  const next = moveId(order, id, by);
  const send = (taskIds: readonly string[]) =>
    call(ORDER[kind], { params: { id: ticketId }, body: { taskIds: [...taskIds] } }).then(
      refreshTasks,
    );
  return applyChange({
    send: () => send(next),
    said: `“${title}” comes ${by < 0 ? "earlier" : "later"}`,
    undo: () => send(order),
  });
}

function moveId(order: readonly string[], id: string, by: number): readonly string[] {
  const at = order.indexOf(id);
  const to = Math.max(0, Math.min(order.length - 1, at + by));
  return order.toSpliced(at, 1).toSpliced(to, 0, id);
}
