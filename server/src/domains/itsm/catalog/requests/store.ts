import { itemIdsSql, ratingListFields, talkSql, ticketStore } from "../../tickets/index.ts";
import { approvalSql, readApproval } from "#domains/approvals/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { SqlRow } from "#kernel/db/statement.ts";
import type { ListDefinition } from "#kernel/list/list.ts";
import type { CatalogRequest } from "./request.ts";
import { describeApproval } from "./request-approval.ts";

interface RequestRow extends Omit<CatalogRequest, "approval"> {
  readonly approval: SqlRow | null;
}

export const requestStore = ticketStore<CatalogRequest, RequestRow>({
  kind: "request",
  table: "catalog_requests",
  constants: ["itemId", "title", "description", "values", "requestedFor"],
  fields: [
    "state",
    "assigneeId",
    "teamId",
    "workflowId",
    "runId",
    "output",
    "reason",
    "notes",
    "approvedAt",
    "endedAt",
    "satisfaction",
    "satisfactionComment",
    "ratedAt",
    "updatedAt",
  ],
  json: ["values", "output"],
  computed: { approval: approvalSql("catalog_requests") },
  toTicket: ({ approval, ...rest }) => ({
    ...rest,
    approval: describeApproval(approval ? readApproval(approval) : undefined),
  }),
  // The approvals domain writes approvals.
  toRow: (request) => ({ ...request, approval: null }),
});

/** The fields for filtering and sorting requests. */
export const requestList: ListDefinition = {
  name: "catalog requests",
  from: "catalog_requests",
  select: `${requestStore.select}, ${talkSql("catalog_requests", "catalog_requests.requested_for")}`,
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
    ciIds: { sql: itemIdsSql("catalog_requests"), kind: "texts" },
    tags: { sql: "tags", kind: "texts" },
    fields: { sql: "fields", kind: "json" },
    workflowId: { sql: "workflow_id", kind: "text", nullable: true },
    runId: { sql: "run_id", kind: "text", nullable: true },
    approvedAt: { sql: "approved_at", kind: "time", nullable: true },
    endedAt: { sql: "ended_at", kind: "time", nullable: true },
    ...ratingListFields,
    createdBy: { sql: "created_by", kind: "text" },
    createdAt: { sql: "created_at", kind: "time" },
    updatedAt: { sql: "updated_at", kind: "time" },
  },
  search: ["number", "title", "description"],
  order: "-createdAt",
  tieBreaker: "no",
};

/** Finds the requests fulfilled by these runs: request ids by run id. */
export async function findByRuns(
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
