import { itemIdsSql, lockRows, refColumn, type TicketSummary } from "../tickets/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { type SqlRow, queryRows } from "#kernel/db/statement.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { ListDefinition } from "#kernel/list/list.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { Problem } from "./problem.ts";

const ITEMS = itemIdsSql("problems");

const SHOWN = `
  id, number, state, title, description, priority, assignee_id as "assigneeId", team_id as "teamId",
  ${ITEMS} as "ciIds", root_cause as "rootCause", workaround, resolution,
  known_error_at as "knownErrorAt", resolved_at as "resolvedAt", closed_at as "closedAt",
  created_by as "createdBy", created_at as "createdAt", updated_at as "updatedAt", revision`;

/** All problems, as people list them. */
export const problemList: ListDefinition = {
  name: "problems",
  from: "problems",
  select: SHOWN,
  fields: {
    id: { sql: "id", kind: "text" },
    no: { sql: "no", kind: "number", type: "bigint" },
    number: { sql: "number", kind: "text" },
    title: { sql: "title", kind: "text" },
    description: { sql: "description", kind: "text" },
    state: { sql: "state", kind: "text" },
    priority: { sql: "priority", kind: "number", type: "integer" },
    assigneeId: { sql: "assignee_id", kind: "text", nullable: true },
    teamId: { sql: "team_id", kind: "text", nullable: true },
    ciIds: { sql: ITEMS, kind: "texts" },
    rootCause: { sql: "root_cause", kind: "text", nullable: true },
    workaround: { sql: "workaround", kind: "text", nullable: true },
    resolution: { sql: "resolution", kind: "text", nullable: true },
    knownErrorAt: { sql: "known_error_at", kind: "time", nullable: true },
    resolvedAt: { sql: "resolved_at", kind: "time", nullable: true },
    closedAt: { sql: "closed_at", kind: "time", nullable: true },
    createdBy: { sql: "created_by", kind: "text" },
    createdAt: { sql: "created_at", kind: "time" },
    updatedAt: { sql: "updated_at", kind: "time" },
  },
  search: ["number", "title", "description", "root_cause", "workaround"],
  order: "-createdAt",
  tieBreaker: "no",
};

/** Those that people can live with, the latest first. */
export const knownErrorList: ListDefinition = {
  ...problemList,
  name: "known errors",
  fields: { ...problemList.fields, knownErrorAt: { sql: "known_error_at", kind: "time" } },
  order: "-knownErrorAt",
};

/** A row of the lists above, whose columns have the names of the fields. */
export function toProblem(row: SqlRow): Problem {
  return row as unknown as Problem;
}

/** The problem that an id or a number names. */
export async function get(tx: Tx, ref: string): Promise<Problem> {
  return found(
    await queryRows(tx, `select ${SHOWN} from problems where ${refColumn(ref)} = $1`, [ref]),
  );
}

/** Locks the row, so that two changes take turns. */
export async function lock(tx: Tx, ref: string): Promise<Problem> {
  const where = `${refColumn(ref)} = $1`;
  return found(await lockRows(tx, { table: "problems", select: SHOWN, where }, ref));
}

const INSERT = `
  insert into problems
    (id, no, number, title, description, state, priority, assignee_id, team_id, root_cause, workaround,
     created_by, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)`;

export function insert(ctx: WriteContext<never>, problem: Problem, no: number): void {
  void ctx.send(INSERT, [
    problem.id,
    no,
    problem.number,
    problem.title,
    problem.description,
    problem.state,
    problem.priority,
    problem.assigneeId,
    problem.teamId,
    problem.rootCause,
    problem.workaround,
    problem.createdBy,
    ctx.now,
  ]);
}

const UPDATE = `
  update problems
     set title = $2, description = $3, state = $4, priority = $5, assignee_id = $6, team_id = $7,
         root_cause = $8, workaround = $9, resolution = $10, known_error_at = $11, resolved_at = $12,
         closed_at = $13, revision = $14, updated_at = $15
   where id = $1`;

/** Writes a problem as it is now. */
export function update(ctx: WriteContext<never>, problem: Problem): void {
  void ctx.send(UPDATE, [
    problem.id,
    problem.title,
    problem.description,
    problem.state,
    problem.priority,
    problem.assigneeId,
    problem.teamId,
    problem.rootCause,
    problem.workaround,
    problem.resolution,
    problem.knownErrorAt,
    problem.resolvedAt,
    problem.closedAt,
    problem.revision,
    problem.updatedAt,
  ]);
}

/** What may be told of these where another ticket refers to them. */
export async function summariesOf(tx: Tx, ids: readonly string[]): Promise<TicketSummary[]> {
  const rows = await tx
    .selectFrom("problems")
    .select(["id", "number", "title", "state", "workaround"])
    .where("id", "in", ids)
    .execute();
  return rows.map((row) => ({ kind: "problem", ...row }));
}

function found([row]: readonly SqlRow[]): Problem {
  if (!row) throw new Failure(NotFound);
  return toProblem(row);
}
