/** Ends tasks and reopens them. */
import Type from "typebox";
import { authorOf } from "#kernel/access/caller.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { EventType } from "#kernel/log/event.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import type { TicketKind } from "../kind.ts";
import {
  emitReady,
  emitTask,
  exampleParams,
  lockTask,
  type TaskHook,
  taskParams,
  withBlockers,
} from "./locked-task.ts";
import { Notes, type Task, TaskBlocked, TaskEnded, taskEvents, WaitingTask } from "./task.ts";

/** Complete, skip and reopen. */
export function endOperations(kind: TicketKind, hook: TaskHook | undefined) {
  return [completeTask(kind, hook), skipTask(kind, hook), reopenTask(kind)];
}

function completeTask(kind: TicketKind, hook: TaskHook | undefined) {
  const { Completed, Ready } = taskEvents(kind);
  return command({
    ...about(kind, "complete", [Completed, Ready, ...(hook?.emits ?? [])]),
    summary: "Complete a task",
    description:
      "If a task that it depends on is open, the response is 409 `task_blocked` with these tasks in `tasks`.",
    body: object({ notes: Type.Optional(Notes) }),
    bodyOptional: true,
    fails: [TaskEnded, TaskBlocked, kind.machine.wrongState],
    example: { params: exampleParams(kind), body: { notes: "Both are available." } },
    async run(ctx, { params, body: { notes = null } }) {
      const locked = await lockTask(ctx, kind, params);
      const { ticket, task, tasks } = locked;
      if (task.state !== "open") throw new Failure(TaskEnded);
      if (task.blockedBy.length > 0) {
        const blockers = tasks.filter(({ id }) => task.blockedBy.includes(id));
        const extra = { tasks: blockers.map(({ id, title }) => ({ id, title })) };
        throw new Failure(TaskBlocked, { extra });
      }
      const after = await setState(ctx, task, { state: "done", notes });
      emitTask(ctx, Completed, ticket, after);
      emitReady(ctx, kind, locked);
      await hook?.afterEnd(ctx, ticket.id);
      return withBlockers(after, tasks);
    },
  });
}

function skipTask(kind: TicketKind, hook: TaskHook | undefined) {
  const { Skipped, Ready } = taskEvents(kind);
  return command({
    ...about(kind, "skip", [Skipped, Ready, ...(hook?.emits ?? [])]),
    summary: "Skip a task",
    description: "The task ends with the given reason. Tasks that depend on it can start.",
    body: object({ notes: Notes }),
    fails: [TaskEnded, kind.machine.wrongState],
    example: { params: exampleParams(kind), body: { notes: "It contains no data." } },
    async run(ctx, { params, body: { notes } }) {
      const locked = await lockTask(ctx, kind, params);
      const { ticket, task, tasks } = locked;
      if (task.state !== "open") throw new Failure(TaskEnded);
      const after = await setState(ctx, task, { state: "skipped", notes });
      emitTask(ctx, Skipped, ticket, after);
      emitReady(ctx, kind, locked);
      await hook?.afterEnd(ctx, ticket.id);
      return withBlockers(after, tasks);
    },
  });
}

function reopenTask(kind: TicketKind) {
  const { Reopened } = taskEvents(kind);
  return command({
    ...about(kind, "reopen", [Reopened]),
    summary: "Reopen a completed or skipped task",
    fails: [TaskEnded, kind.machine.wrongState],
    example: { params: exampleParams(kind) },
    async run(ctx, { params }) {
      const { ticket, task, tasks } = await lockTask(ctx, kind, params);
      if (task.state === "open") throw new Failure(TaskEnded);
      const after = await setState(ctx, task, { state: "open", notes: null });
      emitTask(ctx, Reopened, ticket, after);
      return withBlockers(after, tasks);
    },
  });
}

function about(kind: TicketKind, verb: string, emits: readonly EventType[]) {
  const { plural, path, write } = kind;
  return {
    id: `${plural}.${verb}_task`,
    effect: "ordinary",
    route: `POST ${path}/{id}/tasks/{taskId}/${verb}`,
    permission: write,
    params: taskParams(kind),
    response: item(WaitingTask),
    emits,
  } as const;
}

const SET_STATE = `
  update ticket_tasks
     set state = $2, notes = $3, ended_by = $4, ended_at = $5, updated_at = $6, revision = revision + 1
   where id = $1`;

async function setState(
  ctx: WriteContext<never>,
  task: Task,
  { state, notes }: Pick<Task, "state" | "notes">,
): Promise<Task> {
  const at = ctx.now.toISOString();
  const isOpen = state === "open";
  const ended = {
    endedBy: isOpen ? null : authorOf(ctx.caller),
    endedAt: isOpen ? null : at,
  };
  await ctx.send(SET_STATE, [task.id, state, notes, ended.endedBy, ended.endedAt, ctx.now]);
  return { ...task, state, notes, ...ended, updatedAt: at, revision: task.revision + 1 };
}
