/**
 * Tasks: steps of a change or a request, each with an assignee. A task can depend on others, and a ticket cannot be
 * completed while a required task is open.
 */
import Type, { type Static } from "typebox";
import type { ReadContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { event } from "#kernel/log/event.ts";
import { Failure, failure, NotFound } from "#kernel/operation/failure.ts";
import { id, line, nullable, text, Time } from "#kernel/schema/schema.ts";
import type { TicketKind } from "../kind.ts";

export const TASKS_MAX = 200;
const DEPENDENCIES_MAX = 20;

export const TaskId = id("tsk");
export const TASK_STATES = ["open", "done", "skipped"] as const;
export const Notes = line(2_000, "Title, visible to everyone who can see the task");

/** The editable fields. */
export const taskFields = {
  title: line(300),
  description: text(10_000),
  assigneeId: nullable(id("usr", "The assigned member")),
  teamId: nullable(id("tem", "The assigned team")),
  dueAt: nullable(Time),
  required: Type.Boolean({
    description: "Whether the task must be completed or skipped before the ticket ends",
  }),
  internal: Type.Boolean({ description: "Visible only to agents" }),
  dependsOn: Type.Array(TaskId, {
    maxItems: DEPENDENCIES_MAX,
    uniqueItems: true,
    description: "Tasks of the same ticket that must end first",
  }),
};

export const Task = Type.Object(
  {
    id: TaskId,
    ticketId: Type.String(),
    position: Type.Integer({ description: "Position within the ticket, from 1" }),
    ...taskFields,
    state: Type.Enum([...TASK_STATES]),
    notes: nullable(Type.String({ description: "Result, or reason for skipping" })),
    endedBy: nullable(Type.String()),
    endedAt: nullable(Time),
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "Task" },
);
export type Task = Static<typeof Task> & { readonly revision: number };

export const WaitingTask = Type.Object(
  {
    ...Task.properties,
    blockedBy: Type.Array(TaskId, { description: "Open tasks in `dependsOn`" }),
  },
  { title: "TaskWithBlockers" },
);
export type WaitingTask = Task & { readonly blockedBy: string[] };

export const TooManyTasks = failure(
  "too_many_tasks",
  409,
  `A ticket can have at most ${TASKS_MAX} tasks.`,
);
export const TaskEnded = failure(
  "task_wrong_state",
  409,
  "The state of the task does not allow this action.",
);
export const TaskBlocked = failure("task_blocked", 409, "Other tasks must end first.");
export const TasksOpen = failure("tasks_open", 409, "Required tasks are open.");

/** The task events of a ticket kind, declared once. */
export function taskEvents({ kind }: Pick<TicketKind, "kind">) {
  const known = declared.get(kind) ?? declareEvents(kind);
  declared.set(kind, known);
  return known;
}

const declared = new Map<string, ReturnType<typeof declareEvents>>();
export type TaskEvents = ReturnType<typeof declareEvents>;
export type TaskEvent = TaskEvents[keyof TaskEvents];

function declareEvents(kind: string) {
  const about = (summary: string) => ({ resource: kind, summary, data: Task });
  return {
    Added: event(`${kind}.task_added`, about("A task was added.")),
    Updated: event(`${kind}.task_updated`, {
      ...about("A task was updated."),
      data: Type.Object(
        {
          ...Task.properties,
          changes: Type.Array(Type.String(), { description: "Names of the changed fields" }),
          // Events of earlier versions do not have this field.
          before: Type.Optional(
            Type.Partial(Type.Object(taskFields), { description: "Previous values" }),
          ),
        },
        { title: "TaskUpdate" },
      ),
    }),
    Completed: event(`${kind}.task_completed`, about("A task was completed.")),
    Skipped: event(`${kind}.task_skipped`, about("A task was skipped.")),
    Reopened: event(`${kind}.task_reopened`, about("A completed or skipped task was reopened.")),
    Removed: event(`${kind}.task_removed`, {
      ...about("A task was removed."),
      data: Type.Object(
        {
          ...Task.properties,
          // Events of earlier versions do not have this field.
          waitingIds: Type.Optional(
            Type.Array(TaskId, { description: "Tasks that depended on it" }),
          ),
        },
        { title: "TaskRemoval" },
      ),
    }),
    Ready: event(
      `${kind}.task_ready`,
      about("A task no longer waits for other tasks and can start."),
    ),
    Reordered: event(`${kind}.tasks_reordered`, {
      resource: kind,
      summary: "The tasks were reordered.",
      data: Type.Object(
        {
          taskIds: Type.Array(TaskId),
          internal: Type.Boolean(),
          // Events of earlier versions do not have this field.
          before: Type.Optional(Type.Object({ taskIds: Type.Array(TaskId) })),
        },
        { title: "TaskOrderData" },
      ),
    }),
  };
}

/** The select list of a task, from `ticket_tasks k`. */
export const TASK_COLUMNS = `
  k.id, k.ticket_id as "ticketId", k.position, k.title, k.description, k.assignee_id as "assigneeId",
  k.team_id as "teamId", k.due_at as "dueAt", k.must_be_done as required, k.internal,
  k.depends_on as "dependsOn", k.state, k.notes, k.ended_by as "endedBy", k.ended_at as "endedAt",
  k.created_by as "createdBy", k.created_at as "createdAt", k.updated_at as "updatedAt", k.revision,
  array(select d.id from ticket_tasks d
         where d.id = any (k.depends_on) and d.state = 'open' order by d.position) as "blockedBy"`;

const OF_TICKET = `
  select ${TASK_COLUMNS} from ticket_tasks k
   where k.ticket_id = $1 order by k.position, k.id limit ${TASKS_MAX}`;

/** The tasks of a ticket in order. */
export async function findTasks(tx: Tx, ticketId: string): Promise<readonly WaitingTask[]> {
  return queryRows<WaitingTask>(tx, OF_TICKET, [ticketId]);
}

/** One of these tasks. Throws 404 if it is not among them. */
export function pickTask(tasks: readonly WaitingTask[], taskId: string): WaitingTask {
  const task = tasks.find(({ id }) => id === taskId);
  if (!task) throw new Failure(NotFound);
  return task;
}

const REQUIRED_OPEN = `
  select id, title, assignee_id as "assigneeId" from ticket_tasks
   where ticket_id = $1 and state = 'open' and must_be_done order by position, id limit ${TASKS_MAX}`;

/** True while a required task of a ticket is open. */
export async function hasOpenTasks(tx: Tx, ticketId: string): Promise<boolean> {
  return (await queryRows(tx, REQUIRED_OPEN, [ticketId])).length > 0;
}

/** Throws 409 with the open required tasks of a locked ticket. */
export async function assertTasksEnded({ tx }: ReadContext, ticketId: string): Promise<void> {
  const tasks = await queryRows(tx, REQUIRED_OPEN, [ticketId]);
  if (tasks.length === 0) return;
  const detail = `Still to be done or skipped: ${tasks.map(({ title }) => `"${String(title)}"`).join(", ")}.`;
  throw new Failure(TasksOpen, { detail: detail.slice(0, 1_000), extra: { tasks } });
}
