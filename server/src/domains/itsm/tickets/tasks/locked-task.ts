/** Shared by all task commands: the ticket is locked, so that it cannot end concurrently. */
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { EventType, ResourceRef } from "#kernel/log/event.ts";
import { object } from "#kernel/schema/schema.ts";
import {
  exampleRef,
  refColumn,
  type TicketIdentity,
  type TicketKind,
  ticketParams,
} from "../kind.ts";
import { invalidTransition } from "../state-machine.ts";
import { getTicketIdentity, ticketRefOf } from "../ticket.ts";
import { findTasks, pickTask, type Task, taskEvents, TaskId, type WaitingTask } from "./task.ts";

export const EXAMPLE_TASK = "tsk_01jzt3n5k8q2x4v6w8y0z2b4d6";

/** Work on a ticket when a task ends, in the same transaction. */
export interface TaskHook {
  readonly emits: readonly EventType[];
  readonly afterEnd: (ctx: WriteContext, ticketId: string) => Promise<void>;
}

export function taskParams(kind: TicketKind) {
  return object({ ...ticketParams(kind).properties, taskId: TaskId });
}

export function exampleParams(kind: TicketKind) {
  return { id: exampleRef(kind), taskId: EXAMPLE_TASK };
}

/** Locks a ticket. Throws 409 if it has ended. */
export async function lockOpenTicket(
  ctx: ReadContext,
  kind: TicketKind,
  ref: string,
): Promise<TicketIdentity> {
  const text = `select from ${kind.table} where ${refColumn(ref)} = $1 for update`;
  await queryRows(ctx.tx, text, [ref]);
  const ticket = await getTicketIdentity(ctx, kind, ref);
  const { machine } = kind;
  if (!machine.finalStates.includes(ticket.state)) return ticket;
  throw invalidTransition(
    machine,
    ticket.state,
    `In the state ${ticket.state}, tasks can't be changed.`,
  );
}

export interface LockedTask {
  readonly ticket: TicketIdentity;
  readonly task: WaitingTask;
  /** All tasks of the ticket. */
  readonly tasks: readonly WaitingTask[];
}

/** Locks a ticket with one of its tasks, and checks If-Match. */
export async function lockTask(
  ctx: WriteContext<never>,
  kind: TicketKind,
  { id, taskId }: { readonly id: string; readonly taskId: string },
): Promise<LockedTask> {
  const ticket = await lockOpenTicket(ctx, kind, id);
  const tasks = await findTasks(ctx.tx, ticket.id);
  const task = pickTask(tasks, taskId);
  ctx.expectRevision(task.revision);
  return { ticket, task, tasks };
}

/** Emits an event of a task, with additional data. */
export function emitTask(
  { emit }: WriteContext<never>,
  event: EventType,
  ticket: TicketIdentity,
  {
    revision: _,
    ...task
  }: Task & {
    readonly changes?: readonly string[];
    readonly before?: Partial<Task>;
    readonly waitingIds?: readonly string[];
  },
): void {
  // All task events contain the task as their data.
  const append = emit as (event: EventType, resource: ResourceRef, data: unknown) => void;
  const { blockedBy: __, ...data } = task as Partial<WaitingTask>;
  append(event, ticketRefOf(ticket), data);
}

/** Emits that tasks are ready that waited only for this one. */
export function emitReady(
  ctx: WriteContext<never>,
  kind: TicketKind,
  { ticket, task, tasks }: LockedTask,
): void {
  for (const { blockedBy, ...other } of tasks) {
    const waits = other.state === "open" && blockedBy.length === 1 && blockedBy[0] === task.id;
    if (waits) emitTask(ctx, taskEvents(kind).Ready, ticket, other);
  }
}

/** Adds the open dependencies to a task. */
export function withBlockers(task: Task, tasks: readonly WaitingTask[]): WaitingTask {
  const open = new Set(tasks.filter(({ state }) => state === "open").map(({ id }) => id));
  return { ...task, blockedBy: task.dependsOn.filter((id) => open.has(id)) };
}
