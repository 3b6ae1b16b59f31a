/** The operations on tasks, by ticket kind. */
import { call, type Schemas } from "../data/api.ts";
import { perform } from "../data/use-command.ts";

export type TaskKind = "change" | "request";
export type Task = Schemas["TaskWithBlockers"];

export const LIST = { change: "changes.list_tasks", request: "requests.list_tasks" } as const;
export const ADD = { change: "changes.add_task", request: "requests.add_task" } as const;
export const UPDATE = { change: "changes.update_task", request: "requests.update_task" } as const;
export const COMPLETE = {
  change: "changes.complete_task",
  request: "requests.complete_task",
} as const;
export const SKIP = { change: "changes.skip_task", request: "requests.skip_task" } as const;
export const REOPEN = { change: "changes.reopen_task", request: "requests.reopen_task" } as const;
const REMOVE = { change: "changes.remove_task", request: "requests.remove_task" } as const;
const ORDER = { change: "changes.order_tasks", request: "requests.order_tasks" } as const;

export interface TaskPlace {
  readonly kind: TaskKind;
  readonly ticketId: string;
}

type Named = Pick<Task, "id" | "title">;

export const paramsOf = ({ ticketId }: TaskPlace, taskId: string) => ({ id: ticketId, taskId });

/** Completes a task, with an undo action that reopens it. */
export function completeTask(place: TaskPlace, { id, title }: Named): Promise<unknown> {
  const params = paramsOf(place, id);
  return perform(
    COMPLETE[place.kind],
    { params, body: {} },
    { said: `“${title}” completed`, undo: () => call(REOPEN[place.kind], { params }) },
  );
}

export function reopenTask(place: TaskPlace, { id, title }: Named): Promise<unknown> {
  const params = paramsOf(place, id);
  return perform(REOPEN[place.kind], { params }, { said: `“${title}” reopened` });
}

export function removeTask(place: TaskPlace, { id, title }: Named): Promise<unknown> {
  const params = paramsOf(place, id);
  return perform(REMOVE[place.kind], { params }, { said: `“${title}” removed` });
}

/** Moves a task within its ticket. */
export function moveTask(
  { kind, ticketId }: TaskPlace,
  tasks: readonly Named[],
  { id, title }: Named,
  by: number,
): Promise<unknown> {
  const order = tasks.map((task) => task.id);
  const ordered = (taskIds: readonly string[]) => ({ params: { id: ticketId }, body: { taskIds } });
  return perform(ORDER[kind], ordered(moveId(order, id, by)), {
    said: `“${title}” moved ${by < 0 ? "up" : "down"}`,
    undo: () => call(ORDER[kind], ordered(order)),
  });
}

function moveId(order: readonly string[], id: string, by: number): readonly string[] {
  const at = order.indexOf(id);
  const to = Math.max(0, Math.min(order.length - 1, at + by));
  return order.toSpliced(at, 1).toSpliced(to, 0, id);
}
