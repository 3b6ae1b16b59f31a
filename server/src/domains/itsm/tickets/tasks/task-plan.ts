/** Tasks added to tickets by a template or catalog item. */
import Type, { type Static } from "typebox";
import { findMembersByIds } from "#domains/identity/accounts/index.ts";
import { authorOf } from "#kernel/access/caller.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { type FieldError, assertNoErrors } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { line, object, text } from "#kernel/schema/schema.ts";
import { type FoundTicket, ticketRefOf } from "../ticket.ts";
import { Task, taskEvents, type TaskEvents, taskFields } from "./task.ts";

const PLANNED_MAX = 50;
const MINUTES_MAX = 525_600;
const MINUTE_MS = 60_000;

const PlannedTask = object(
  {
    title: line(300),
    description: Type.Optional(text(10_000)),
    assigneeId: Type.Optional(taskFields.assigneeId),
    teamId: Type.Optional(taskFields.teamId),
    dueMinutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MINUTES_MAX,
        description: "Due time, counted from the start of the work",
      }),
    ),
    required: Type.Optional(Type.Boolean({ description: "Default: true" })),
    internal: Type.Optional(
      Type.Boolean({ description: "Default: true for a request, false for a change" }),
    ),
    dependsOn: Type.Optional(
      Type.Array(Type.Integer({ minimum: 0, maximum: PLANNED_MAX - 1 }), {
        maxItems: 20,
        uniqueItems: true,
        description: "Indexes (from 0) of earlier tasks that must end first",
      }),
    ),
  },
  { title: "PlannedTask" },
);
type PlannedTask = Static<typeof PlannedTask>;

/** The tasks of a template, in order. */
export const TaskPlan = Type.Array(PlannedTask, {
  maxItems: PLANNED_MAX,
  description: "Tasks that are created with each ticket",
});
export type TaskPlan = readonly PlannedTask[];

/** Throws 422 with the paths of missing people or teams, and of dependencies on later tasks. */
export async function assertPlan(ctx: ReadContext, plan: TaskPlan): Promise<void> {
  const present = await findPresent(ctx, plan);
  const errors = plan.flatMap(({ assigneeId, teamId, dependsOn = [] }, index): FieldError[] => {
    const path = `/tasks/${index}`;
    const later = dependsOn.findIndex((place) => place >= index);
    return [
      ...(typeof assigneeId === "string" && !present.has(assigneeId)
        ? [{ path: `${path}/assigneeId`, message: "is not the id of an active member" }]
        : []),
      ...(typeof teamId === "string" && !present.has(teamId)
        ? [{ path: `${path}/teamId`, message: "is not the id of a team" }]
        : []),
      ...(later < 0
        ? []
        : [{ path: `${path}/dependsOn/${later}`, message: "is not the index of an earlier task" }]),
    ];
  });
  assertNoErrors(errors);
}

/** Adds the tasks of a plan to a ticket. References to people and teams deleted since are dropped. */
export async function instantiatePlan(
  ctx: WriteContext<TaskEvents["Added"]>,
  { kind, ticket }: FoundTicket,
  plan: TaskPlan,
): Promise<void> {
  if (plan.length === 0) return;
  const present = await findPresent(ctx, plan);
  const known = (id: string | null | undefined) => (id && present.has(id) ? id : null);
  const at = ctx.now.toISOString();
  const createdBy = authorOf(ctx.caller);
  const ids = plan.map(() => newId("tsk", ctx.now.getTime()));
  for (const [index, planned] of plan.entries()) {
    const { dueMinutes, dependsOn = [] } = planned;
    const task: Static<typeof Task> = {
      id: ids[index] ?? "",
      ticketId: ticket.id,
      position: index + 1,
      title: planned.title,
      description: planned.description ?? "",
      assigneeId: known(planned.assigneeId),
      teamId: known(planned.teamId),
      dueAt:
        dueMinutes === undefined
          ? null
          : new Date(ctx.now.getTime() + dueMinutes * MINUTE_MS).toISOString(),
      required: planned.required ?? true,
      internal: planned.internal ?? kind.own !== undefined,
      dependsOn: dependsOn.flatMap((place) => ids[place] ?? []),
      state: "open",
      notes: null,
      endedBy: null,
      endedAt: null,
      createdBy,
      createdAt: at,
      updatedAt: at,
    };
    insertTask(ctx, kind.kind, task);
    ctx.emit(taskEvents(kind).Added, ticketRefOf(ticket), task);
  }
}

/** Writes a new task. */
export function insertTask(
  ctx: WriteContext<never>,
  kind: string,
  task: Static<typeof Task>,
): void {
  void ctx.send(
    `insert into ticket_tasks
       (id, kind, ticket_id, position, title, description, state, assignee_id, team_id, due_at,
        must_be_done, internal, depends_on, created_by, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, 'open', $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [
      task.id,
      kind,
      task.ticketId,
      task.position,
      task.title,
      task.description,
      task.assigneeId,
      task.teamId,
      task.dueAt,
      task.required,
      task.internal,
      task.dependsOn,
      task.createdBy,
      task.createdAt,
      ctx.now,
    ],
  );
}

/** The existing members and teams of a plan. */
async function findPresent({ tx }: ReadContext, plan: TaskPlan): Promise<ReadonlySet<string>> {
  const userIds = [...new Set(plan.flatMap(({ assigneeId }) => assigneeId ?? []))];
  const teamIds = [...new Set(plan.flatMap(({ teamId }) => teamId ?? []))];
  const [members, teams] = await Promise.all([
    userIds.length === 0 ? [] : findMembersByIds(tx, userIds),
    teamIds.length === 0
      ? []
      : tx.selectFrom("teams").select("id").where("id", "in", teamIds).execute(),
  ]);
  return new Set([...members, ...teams].map(({ id }) => id));
}
