import { authorOf } from "#kernel/access/caller.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { created, item } from "#kernel/operation/response.ts";
import { newId } from "#kernel/schema/id.ts";
import { article, exampleRef, type TicketKind, ticketParams } from "../kind.ts";
import {
  emitTask,
  exampleParams,
  lockOpenTicket,
  lockTask,
  taskParams,
  withBlockers,
} from "./locked-task.ts";
import {
  findTasks,
  type Task,
  TaskEnded,
  taskEvents,
  TASKS_MAX,
  TooManyTasks,
  WaitingTask,
} from "./task.ts";
import {
  applyTaskInput,
  assertTaskInput,
  changedFields,
  pickFields,
  TaskInput,
  TaskPatch,
} from "./task-input.ts";
import { insertTask } from "./task-plan.ts";

export function addTask(kind: TicketKind) {
  const { kind: name, plural, path, write } = kind;
  const { Added } = taskEvents(kind);
  return command({
    id: `${plural}.add_task`,
    effect: "ordinary",
    route: `POST ${path}/{id}/tasks`,
    summary: `Add a task to ${article(name)}`,
    description:
      "Adds the task at the end of the list. The ticket must be open. By default, the task is required and " +
      `${kind.own ? "internal" : "not internal"}.`,
    permission: write,
    params: ticketParams(kind),
    body: TaskInput,
    response: created(WaitingTask),
    emits: [Added],
    fails: [TooManyTasks, kind.machine.wrongState],
    example: { params: { id: exampleRef(kind) }, body: { title: "Check the backups" } },
    async run(ctx, { params: { id: ref }, body }) {
      const ticket = await lockOpenTicket(ctx, kind, ref);
      const tasks = await findTasks(ctx.tx, ticket.id);
      if (tasks.length >= TASKS_MAX) throw new Failure(TooManyTasks);
      const at = ctx.now.toISOString();
      const draft: Task = {
        id: newId("tsk", ctx.now.getTime()),
        ticketId: ticket.id,
        position: (tasks.at(-1)?.position ?? 0) + 1,
        title: body.title,
        description: "",
        assigneeId: null,
        teamId: null,
        dueAt: null,
        required: true,
        internal: kind.own !== undefined,
        dependsOn: [],
        state: "open",
        notes: null,
        endedBy: null,
        endedAt: null,
        createdBy: authorOf(ctx.caller),
        createdAt: at,
        updatedAt: at,
        revision: 1,
      };
      const task = applyTaskInput(draft, body);
      await assertTaskInput(ctx, task, body, tasks);
      insertTask(ctx, name, task);
      emitTask(ctx, Added, ticket, task);
      return withBlockers(task, tasks);
    },
  });
}

const UPDATE = `
  update ticket_tasks
     set title = $2, description = $3, assignee_id = $4, team_id = $5, due_at = $6, must_be_done = $7,
         internal = $8, depends_on = $9, updated_at = $10, revision = revision + 1
   where id = $1`;

/** Changes the content of an open task. */
export function updateTask(kind: TicketKind) {
  const { plural, path, write } = kind;
  const { Updated } = taskEvents(kind);
  return command({
    id: `${plural}.update_task`,
    effect: "ordinary",
    route: `PATCH ${path}/{id}/tasks/{taskId}`,
    summary: "Update or assign a task",
    description: "Only open tasks can be updated. If nothing changes, no event is appended.",
    permission: write,
    params: taskParams(kind),
    body: TaskPatch,
    response: item(WaitingTask),
    emits: [Updated],
    allowNoop: true,
    fails: [TaskEnded, kind.machine.wrongState],
    example: { params: exampleParams(kind), body: { dueAt: "2026-12-05T22:00:00Z" } },
    async run(ctx, { params, body }) {
      const { ticket, task: before, tasks } = await lockTask(ctx, kind, params);
      const next = applyTaskInput(before, body);
      const changes = changedFields(before, next);
      if (changes.length === 0) return before;
      if (before.state !== "open") throw new Failure(TaskEnded);
      await assertTaskInput(ctx, next, body, tasks);
      const after = { ...next, updatedAt: ctx.now.toISOString(), revision: before.revision + 1 };
      const { title, description, assigneeId, teamId, dueAt, required, internal } = after;
      const written = [title, description, assigneeId, teamId, dueAt, required, internal];
      void ctx.send(UPDATE, [after.id, ...written, after.dependsOn, ctx.now]);
      // New readers of a formerly internal task do not see its earlier content.
      const earlier = before.internal && !after.internal ? {} : pickFields(before, changes);
      emitTask(ctx, Updated, ticket, { ...after, changes, before: earlier });
      return withBlockers(after, tasks);
    },
  });
}
