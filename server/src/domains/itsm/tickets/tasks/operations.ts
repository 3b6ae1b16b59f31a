import Type from "typebox";
import type { Operation } from "#kernel/contract.ts";
import { asOfListQuery, PastTooLong } from "#kernel/list/past-list.ts";
import { PastNotKept } from "#kernel/log/past-state.ts";
import { Failure, invalidField } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { contribute } from "#kernel/extension-point.ts";
import { InversePoint } from "#kernel/undo/inverse.ts";
import { pageOfItems, pageQuery } from "#kernel/operation/pagination.ts";
import { item, noContent, page, withRevision } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { article, exampleRef, type TicketKind, ticketParams } from "../kind.ts";
import { getTicketIdentity, ticketRefOf } from "../ticket.ts";
import {
  emitReady,
  emitTask,
  EXAMPLE_TASK,
  exampleParams,
  lockOpenTicket,
  lockTask,
  type TaskHook,
  taskParams,
} from "./locked-task.ts";
import { readPastTasks } from "./past-tasks.ts";
import { findTasks, TaskEnded, taskEvents, TaskId, TASKS_MAX, WaitingTask } from "./task.ts";
import { taskInverse, taskOrderInverse } from "./task-inverse.ts";
import { addTask, updateTask } from "./task-edit.ts";
import { endOperations } from "./task-end.ts";

/** The task operations of a ticket kind. Its domain adds them to its own. */
export function ticketTasks(kind: TicketKind, hook?: TaskHook) {
  const [update, remove] = [updateTask(kind), removeTask(kind, hook)];
  const order = orderTasks(kind);
  const inverse = contribute(
    InversePoint,
    taskInverse(kind, { update, remove }),
    taskOrderInverse(kind, order),
  );
  const operations: readonly Operation[] = [
    listTasks(kind),
    { ...addTask(kind), contributions: [inverse] },
    update,
    order,
    remove,
    ...endOperations(kind, hook),
  ];
  return { events: Object.values(taskEvents(kind)), operations };
}

function listTasks(kind: TicketKind) {
  const { kind: name, plural, path, read, write } = kind;
  return query({
    id: `${plural}.list_tasks`,
    route: `GET ${path}/{id}/tasks`,
    summary: `List tasks of ${article(name)} in order`,
    description: `Internal tasks require \`${write.name}\`.`,
    permission: read,
    params: ticketParams(kind),
    query: object({ ...pageQuery, ...asOfListQuery }),
    response: page(withRevision(WaitingTask)),
    fails: [PastNotKept, PastTooLong],
    example: { params: { id: exampleRef(kind) } },
    async run(ctx, { params: { id: ref }, query: { asOf, ...asked } }) {
      const ticket = await getTicketIdentity(ctx, kind, ref);
      const tasks =
        asOf === undefined
          ? await findTasks(ctx.tx, ticket.id)
          : await readPastTasks(ctx, kind, ticket.id, asOf);
      return pageOfItems(ctx.services, `tasks of ${ticket.id}`, asked, {
        items: ctx.caller.permissions.has(write.name) ? tasks : publicTasks(tasks),
        keyOf: ({ id }) => id,
      });
    },
  });
}

/** The public tasks, as visible to members without access to internal tasks. */
function publicTasks(tasks: readonly WaitingTask[]): readonly WaitingTask[] {
  const visible = tasks.filter(({ internal }) => !internal);
  const ids = new Set(visible.map(({ id }) => id));
  return visible.map((task) => ({
    ...task,
    teamId: null,
    dependsOn: task.dependsOn.filter((id) => ids.has(id)),
    blockedBy: task.blockedBy.filter((id) => ids.has(id)),
  }));
}

const ORDER = `
  update ticket_tasks k set position = o.place
    from unnest($2::text[]) with ordinality as o (id, place) where k.ticket_id = $1 and k.id = o.id`;

const TaskOrder = object({
  taskIds: Type.Array(TaskId, { maxItems: TASKS_MAX, uniqueItems: true }),
});

function orderTasks(kind: TicketKind) {
  const { plural, path, write } = kind;
  const { Reordered } = taskEvents(kind);
  return command({
    id: `${plural}.order_tasks`,
    effect: "ordinary",
    route: `PUT ${path}/{id}/tasks/order`,
    summary: "Reorder tasks",
    description: "`taskIds` contains each task once. If nothing changes, no event is appended.",
    permission: write,
    params: ticketParams(kind),
    body: TaskOrder,
    response: item(Type.Object(TaskOrder.properties, { title: "TaskOrder" })),
    emits: [Reordered],
    allowNoop: true,
    fails: [kind.machine.wrongState],
    example: { params: { id: exampleRef(kind) }, body: { taskIds: [EXAMPLE_TASK] } },
    async run(ctx, { params: { id: ref }, body: { taskIds } }) {
      const ticket = await lockOpenTicket(ctx, kind, ref);
      ctx.expectRevision(ticket.revision);
      const tasks = await findTasks(ctx.tx, ticket.id);
      const named = new Set(taskIds);
      if (taskIds.length !== tasks.length || tasks.some(({ id }) => !named.has(id))) {
        throw invalidField("/taskIds", "must contain each task of the ticket once");
      }
      if (taskIds.every((id, index) => tasks[index]?.id === id)) return { taskIds };
      void ctx.send(ORDER, [ticket.id, taskIds]);
      // Includes internal tasks.
      const before = { taskIds: tasks.map(({ id }) => id) };
      ctx.emit(Reordered, ticketRefOf(ticket), { taskIds, internal: true, before });
      return { taskIds };
    },
  });
}

function removeTask(kind: TicketKind, hook: TaskHook | undefined) {
  const { plural, path, write } = kind;
  const { Removed, Ready } = taskEvents(kind);
  return command({
    id: `${plural}.remove_task`,
    route: `DELETE ${path}/{id}/tasks/{taskId}`,
    summary: "Remove a task",
    description: "Only open tasks can be removed. Tasks that depend on it no longer wait for it.",
    permission: write,
    params: taskParams(kind),
    response: noContent(),
    emits: [Removed, Ready, ...(hook?.emits ?? [])],
    fails: [TaskEnded, kind.machine.wrongState],
    example: { params: exampleParams(kind) },
    async run(ctx, { params }) {
      const locked = await lockTask(ctx, kind, params);
      const { ticket, task, tasks } = locked;
      if (task.state !== "open") throw new Failure(TaskEnded);
      const waiting = tasks.filter(({ dependsOn }) => dependsOn.includes(task.id));
      const text =
        "update ticket_tasks set depends_on = array_remove(depends_on, $2) where ticket_id = $1";
      await ctx.send(text, [ticket.id, task.id]);
      await ctx.send("delete from ticket_tasks where id = $1", [task.id]);
      emitTask(ctx, Removed, ticket, { ...task, waitingIds: waiting.map(({ id }) => id) });
      emitReady(ctx, kind, locked);
      await hook?.afterEnd(ctx, ticket.id);
    },
  });
}
