import type { Tx } from "#kernel/db/connection.ts";
import { type SqlRow, queryRows } from "#kernel/db/statement.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { ListDefinition } from "#kernel/list/list.ts";
import type { ChangeTemplate } from "./template.ts";

const COLUMNS = `
  id, name, description, title, impact, justification,
  implementation_plan as "implementationPlan", rollback_plan as "rollbackPlan",
  test_plan as "testPlan", active, created_by as "createdBy", revision,
  created_at as "createdAt", updated_at as "updatedAt"`;

export const templateList: ListDefinition = {
  name: "change templates",
  from: "change_templates",
  select: COLUMNS,
  fields: {
    no: { sql: "no", kind: "number", type: "bigint" },
    name: { sql: "name", kind: "text" },
    title: { sql: "title", kind: "text" },
    impact: { sql: "impact", kind: "number", type: "integer" },
    active: { sql: "active", kind: "boolean" },
    createdBy: { sql: "created_by", kind: "text" },
    createdAt: { sql: "created_at", kind: "time" },
    updatedAt: { sql: "updated_at", kind: "time" },
  },
  search: ["name", "description", "title"],
  order: "no",
  tieBreaker: "no",
};

export async function find(tx: Tx, id: string): Promise<ChangeTemplate | undefined> {
  return firstOf(tx, "id = $1", id);
}

export async function findByName(tx: Tx, name: string): Promise<ChangeTemplate | undefined> {
  return firstOf(tx, "name = $1", name);
}

export async function get(tx: Tx, id: string): Promise<ChangeTemplate> {
  return found(await find(tx, id));
}

/** Locks the row, so that two changes take turns. */
export async function lock(tx: Tx, id: string): Promise<ChangeTemplate> {
  return found(await firstOf(tx, "id = $1 for update", id));
}

export async function insert(tx: Tx, template: ChangeTemplate): Promise<void> {
  const { id, createdBy, createdAt } = template;
  await tx
    .insertInto("change_templates")
    .values({ id, created_by: createdBy, created_at: createdAt, ...rowOf(template) })
    .execute();
}

export async function save(tx: Tx, template: ChangeTemplate): Promise<void> {
  await tx
    .updateTable("change_templates")
    .set(rowOf(template))
    .where("id", "=", template.id)
    .execute();
}

export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("change_templates").where("id", "=", id).execute();
}

function rowOf(template: ChangeTemplate) {
  const { name, description, title, impact, justification, active, revision } = template;
  return {
    name,
    description,
    title,
    impact,
    justification,
    active,
    revision,
    implementation_plan: template.implementationPlan,
    rollback_plan: template.rollbackPlan,
    test_plan: template.testPlan,
    updated_at: template.updatedAt,
  };
}

async function firstOf(
  tx: Tx,
  condition: string,
  value: string,
): Promise<ChangeTemplate | undefined> {
  const text = `select ${COLUMNS} from change_templates where ${condition}`;
  const [row] = await queryRows(tx, text, [value]);
  return row && toTemplate(row);
}

function found(template: ChangeTemplate | undefined): ChangeTemplate {
  if (!template) throw new Failure(NotFound);
  return template;
}

/** A row of the columns above, which are the fields. */
export function toTemplate(row: SqlRow): ChangeTemplate {
  return row as unknown as ChangeTemplate;
}
