import type { Operation, WriteContext } from "#kernel/contract.ts";
import { Conflict, Failure } from "#kernel/operation/failure.ts";
import { performWithin } from "#kernel/operation/inner-command.ts";
import type { State } from "#kernel/undo/fold-changes.ts";
import type { BulkInverse, Reversal } from "#kernel/undo/inverse.ts";
import type { TicketKind } from "../kind.ts";
import { getTicketIdentity } from "../ticket.ts";
import { emitTask, lockOpenTicket } from "./locked-task.ts";
import { findTasks, type Task, taskEvents, taskFields, TASKS_MAX, TooManyTasks } from "./task.ts";
import { reaches } from "./task-input.ts";
import { insertTask } from "./task-plan.ts";

/** The inverse of task changes while the task and its ticket are open. The end of a task is not undone. */
export function taskInverse(
  kind: TicketKind,
  { update, remove }: { readonly update: Operation; readonly remove: Operation },
): BulkInverse {
  const events = taskEvents(kind);
  return {
    resourceType: `${kind.kind}_task`,
    created: [events.Added.type],
    updated: [events.Updated.type],
    deleted: [events.Removed.type],
    companions: [events.Ready.type],
    permission: kind.write,
    oneByOne: true,
    idOf: ({ data }) => String(data["id"]),
    changeOf: ({ data }) => {
      const before = (data["before"] ?? {}) as State;
      const after = Object.keys(before).map((field) => [field, data[field]]);
      return { before, after: Object.fromEntries(after) as State };
    },
    groupOf: ({ resource }) => resource.id,
    async lock(ctx, ticketId, ids) {
      await lockOpenTicket(ctx, kind, ticketId);
      const tasks = (await findTasks(ctx.tx, ticketId)).filter(({ id }) => ids.includes(id));
      const states = tasks.map((task): [string, State] => [task.id, { ...task }]);
      return {
        states: new Map(states),
        fields: new Set([...Object.keys(taskFields), "state"]),
      };
    },
    async write(ctx, ticketId, reversals) {
      for (const { id: taskId, current, target, fields } of reversals) {
        const params = { id: ticketId, taskId };
        if (!target) await performWithin(ctx, remove, { params });
        else if (!current) await restoreTask(ctx, kind, { id: taskId, target });
        else {
          const body = Object.fromEntries(fields.map((field) => [field, target[field]]));
          await performWithin(ctx, update, { params, body });
        }
      }
    },
  };
}

/** The inverse of reordering: restores the earlier order. */
export function taskOrderInverse(kind: TicketKind, order: Operation): BulkInverse {
  return {
    resourceType: `${kind.kind}_task_order`,
    updated: [taskEvents(kind).Reordered.type],
    permission: kind.write,
    oneByOne: true,
    changeOf({ data }) {
      const { taskIds, before } = data as { readonly taskIds: unknown; readonly before?: State };
      return { before: before ?? {}, after: { taskIds } };
    },
    groupOf: ({ resource }) => resource.id,
    async lock(ctx, ticketId) {
      await lockOpenTicket(ctx, kind, ticketId);
      const taskIds = (await findTasks(ctx.tx, ticketId)).map(({ id }) => id);
      return { states: new Map([[ticketId, { taskIds }]]), fields: new Set(["taskIds"]) };
    },
    async write(ctx, ticketId, reversals) {
      for (const { target } of reversals) {
        const taskIds = target?.["taskIds"] ?? undefined;
        if (taskIds === undefined) throw new Failure(Conflict, { detail: ORDER_NOT_KEPT });
        await performWithin(ctx, order, { params: { id: ticketId }, body: { taskIds } });
      }
    },
  };
}

const ORDER_NOT_KEPT = "The previous order was not recorded.";

const WAIT = `
  update ticket_tasks set depends_on = $2, updated_at = $3, revision = revision + 1 where id = $1`;

/** Restores a task with its id and position. Dependent tasks wait for it again. */
async function restoreTask(
  ctx: WriteContext,
  kind: TicketKind,
  { target }: Pick<Reversal, "id" | "target">,
): Promise<void> {
  // Undo states are event data.
  const { waitingIds = [], ...removed } = target as unknown as Task & {
    readonly waitingIds?: readonly string[];
  };
  const ticket = await getTicketIdentity(ctx, kind, removed.ticketId);
  const tasks = await findTasks(ctx.tx, ticket.id);
  if (tasks.length >= TASKS_MAX) throw new Failure(TooManyTasks);
  const known = new Set(tasks.map(({ id }) => id));
  const task = { ...removed, dependsOn: removed.dependsOn.filter((id) => known.has(id)) };
  insertTask(ctx, kind.kind, task);
  const { Added, Updated } = taskEvents(kind);
  emitTask(ctx, Added, ticket, task);
  const waitsFor = new Map([...tasks, task].map(({ id, dependsOn }) => [id, dependsOn]));
  const waiting = tasks.filter(
    ({ id, state }) =>
      state === "open" && waitingIds.includes(id) && !reaches(waitsFor, task.id, id),
  );
  for (const { blockedBy: _, ...other } of waiting) {
    const dependsOn = [...other.dependsOn, task.id];
    void ctx.send(WAIT, [other.id, dependsOn, ctx.now]);
    const before = { dependsOn: other.dependsOn };
    const after = { ...other, dependsOn, updatedAt: ctx.now.toISOString() };
    emitTask(ctx, Updated, ticket, { ...after, changes: ["dependsOn"], before });
  }
}
