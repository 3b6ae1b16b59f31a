/** Task input, validated against the other tasks of the ticket. */
import type { Static } from "typebox";
import type { ReadContext } from "#kernel/contract.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { InputTime, nullable, object, patch } from "#kernel/schema/schema.ts";
import { assertReferencesExist } from "../check-references.ts";
import { type Task, taskFields, type WaitingTask } from "./task.ts";

const { title, ...optional } = { ...taskFields, dueAt: nullable(InputTime) };
export const TaskInput = object({ title, ...patch(optional).properties });
export const TaskPatch = patch({ title, ...optional });
type TaskPatch = Static<typeof TaskPatch>;

/** The task with the fields of an input. */
export function applyTaskInput<T extends Task>(task: T, { dueAt, ...rest }: TaskPatch): T {
  if (dueAt === undefined) return { ...task, ...rest };
  return { ...task, ...rest, dueAt: dueAt === null ? null : new Date(dueAt).toISOString() };
}

/** The fields in which two versions of a task differ. */
export function changedFields(before: Task, after: Task): string[] {
  return Object.keys(taskFields).filter((name) => {
    const field = name as keyof typeof taskFields;
    return JSON.stringify(before[field]) !== JSON.stringify(after[field]);
  });
}

export function pickFields(task: Task, names: readonly string[]): Partial<Task> {
  return Object.fromEntries(Object.entries(task).filter(([name]) => names.includes(name)));
}

/** Throws 422 for an unknown reference or a cycle of dependencies. */
export async function assertTaskInput(
  ctx: ReadContext,
  task: Task,
  { assigneeId, teamId, dependsOn = [] }: TaskPatch,
  tasks: readonly WaitingTask[],
): Promise<void> {
  await assertReferencesExist(ctx, { users: { "/assigneeId": assigneeId }, teamId });
  const waitsFor = new Map(tasks.map((other) => [other.id, other.dependsOn]));
  for (const [index, id] of dependsOn.entries()) {
    const path = `/dependsOn/${index}`;
    if (!waitsFor.has(id) || id === task.id) {
      throw invalidField(path, "is not the id of another task of the ticket");
    }
    if (reaches(waitsFor, id, task.id)) throw invalidField(path, "must not depend on this task");
  }
}

/** True if a task depends on another, directly or indirectly. */
export function reaches(
  waitsFor: ReadonlyMap<string, readonly string[]>,
  from: string,
  target: string,
): boolean {
  const seen = new Set<string>();
  const rest = [from];
  for (let id = rest.pop(); id !== undefined; id = rest.pop()) {
    if (id === target) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    rest.push(...(waitsFor.get(id) ?? []));
  }
  return false;
}
