import { itemIdsSql, lockRows, refColumn, type TicketSummary } from "../../tickets/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { type SqlRow, queryRows } from "#kernel/db/statement.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { ListDefinition } from "#kernel/list/list.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { CatalogRequest } from "./request.ts";

const ITEMS = itemIdsSql("catalog_requests");

const SHOWN = `
  id, number, item_id as "itemId", title, description, state, "values",
  requested_for as "requestedFor", assignee_id as "assigneeId", team_id as "teamId",
  ${ITEMS} as "ciIds",
  jsonb_build_object('required', approval_required, 'approverIds', to_jsonb(approver_ids),
                     'rule', approval_rule, 'decisions', decisions) as approval,
  workflow_id as "workflowId", run_id as "runId", output, reason, notes,
  approved_at as "approvedAt", ended_at as "endedAt", created_by as "createdBy",
  created_at as "createdAt", updated_at as "updatedAt", revision`;

/** What was asked for, as people list it. */
export const requestList: ListDefinition = {
  name: "catalog requests",
  from: "catalog_requests",
  select: SHOWN,
  fields: {
    id: { sql: "id", kind: "text" },
    no: { sql: "no", kind: "number", type: "bigint" },
    number: { sql: "number", kind: "text" },
    itemId: { sql: "item_id", kind: "text" },
    title: { sql: "title", kind: "text" },
    description: { sql: "description", kind: "text" },
    state: { sql: "state", kind: "text" },
    values: { sql: '"values"', kind: "json" },
    requestedFor: { sql: "requested_for", kind: "text" },
    assigneeId: { sql: "assignee_id", kind: "text", nullable: true },
    teamId: { sql: "team_id", kind: "text", nullable: true },
    ciIds: { sql: ITEMS, kind: "texts" },
    workflowId: { sql: "workflow_id", kind: "text", nullable: true },
    runId: { sql: "run_id", kind: "text", nullable: true },
    approvedAt: { sql: "approved_at", kind: "time", nullable: true },
    endedAt: { sql: "ended_at", kind: "time", nullable: true },
    createdBy: { sql: "created_by", kind: "text" },
    createdAt: { sql: "created_at", kind: "time" },
    updatedAt: { sql: "updated_at", kind: "time" },
  },
  search: ["number", "title", "description"],
  order: "-createdAt",
  tieBreaker: "no",
};

/** A row of the list, whose columns have the names of the fields. */
export function toRequest(row: SqlRow): CatalogRequest {
  return row as unknown as CatalogRequest;
}

/** The request that an id or a number names. */
export async function get(tx: Tx, ref: string): Promise<CatalogRequest> {
  const text = `select ${SHOWN} from catalog_requests where ${refColumn(ref)} = $1`;
  return found((await queryRows(tx, text, [ref]))[0]);
}

/** Locks the row, so that two changes take turns. */
export async function lock(tx: Tx, ref: string): Promise<CatalogRequest> {
  const where = `${refColumn(ref)} = $1`;
  const [row] = await lockRows(tx, { table: "catalog_requests", select: SHOWN, where }, ref);
  return found(row);
}

/** Which of these runs fulfil a request: its id by theirs. */
export async function requestsOfRuns(
  tx: Tx,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (runIds.length === 0) return new Map();
  const rows = await tx
    .selectFrom("catalog_requests")
    .select(["id", "run_id"])
    .where("run_id", "in", runIds)
    .execute();
  return new Map(rows.flatMap(({ id, run_id }) => (run_id === null ? [] : [[run_id, id]])));
}

const INSERT = `
  insert into catalog_requests
    (id, no, number, item_id, title, description, state, "values", requested_for, approval_required,
     approver_ids, approval_rule, decisions, workflow_id, run_id, approved_at, created_by, created_at,
     updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, '[]', $13, $14, $15, $16, $17, $17)`;

export function insert(ctx: WriteContext<never>, request: CatalogRequest, no: number): void {
  void ctx.send(INSERT, [
    request.id,
    no,
    request.number,
    request.itemId,
    request.title,
    request.description,
    request.state,
    JSON.stringify(request.values),
    request.requestedFor,
    request.approval.required,
    request.approval.approverIds,
    request.approval.rule,
    request.workflowId,
    request.runId,
    request.approvedAt,
    request.createdBy,
    ctx.now,
  ]);
}

const UPDATE = `
  update catalog_requests
     set state = $2, assignee_id = $3, team_id = $4, decisions = $5, workflow_id = $6, run_id = $7,
         output = $8, reason = $9, notes = $10, approved_at = $11, ended_at = $12, revision = $13,
         updated_at = $14
   where id = $1`;

/** Writes a request as it is now. */
export function update(ctx: WriteContext<never>, request: CatalogRequest): void {
  const { output } = request;
  void ctx.send(UPDATE, [
    request.id,
    request.state,
    request.assigneeId,
    request.teamId,
    JSON.stringify(request.approval.decisions),
    request.workflowId,
    request.runId,
    output === null || output === undefined ? null : JSON.stringify(output),
    request.reason,
    request.notes,
    request.approvedAt,
    request.endedAt,
    request.revision,
    request.updatedAt,
  ]);
}

/** What may be told of these where another ticket refers to them. */
export async function summariesOf(tx: Tx, ids: readonly string[]): Promise<TicketSummary[]> {
  const rows = await tx
    .selectFrom("catalog_requests")
    .select(["id", "number", "title", "state"])
    .where("id", "in", ids)
    .execute();
  return rows.map((row) => ({ kind: "request", ...row }));
}

function found(row: SqlRow | undefined): CatalogRequest {
  if (!row) throw new Failure(NotFound);
  return toRequest(row);
}
