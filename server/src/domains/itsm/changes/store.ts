import type { Insertable } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { type SqlRow, queryRows } from "#kernel/db/statement.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Tables } from "../../../tables.ts";
import { itemIdsSql, lockRows, refColumn, setItems } from "../tickets/index.ts";
import type { ChangeRecord } from "./change.ts";

/** The columns under the names that the API has for them. */
export const COLUMNS = `
  id, no, number, title, description, state, type, template_id as "templateId", impact,
  risk_score as "riskScore", risk_level as "riskLevel", risk_reasons as "riskReasons",
  planned_start as "plannedStart", planned_end as "plannedEnd", justification,
  implementation_plan as "implementationPlan", rollback_plan as "rollbackPlan",
  test_plan as "testPlan", approval_rule as "approvalRule", approval_value as "approvalValue",
  approver_ids as "approverIds", round, approvals_given as "approvalsGiven",
  assignee_id as "assigneeId", team_id as "teamId", submitted_at as "submittedAt",
  approved_at as "approvedAt", implemented_at as "implementedAt", completed_at as "completedAt",
  rolled_back_at as "rolledBackAt", rejection_reason as "rejectionReason",
  cancellation_reason as "cancellationReason", implementation_notes as "implementationNotes",
  completion_notes as "completionNotes", rollback_notes as "rollbackNotes", outcome, created_by as "createdBy", revision,
  created_at as "createdAt", updated_at as "updatedAt", ${itemIdsSql("changes")} as "ciIds"`;

export async function get(tx: Tx, ref: string): Promise<ChangeRecord> {
  const text = `select ${COLUMNS} from changes where ${refColumn(ref)} = $1`;
  const [row] = await queryRows(tx, text, [ref]);
  return found(row);
}

/** Locks the row, so that two who decide take turns. */
export async function lock(tx: Tx, ref: string): Promise<ChangeRecord> {
  const where = `${refColumn(ref)} = $1`;
  const [row] = await lockRows(tx, { table: "changes", select: COLUMNS, where }, ref);
  return found(row);
}

export async function insert(tx: Tx, change: ChangeRecord): Promise<void> {
  const { id, no, number, createdBy, createdAt } = change;
  const fixed = { id, no, number, created_by: createdBy, created_at: createdAt };
  await tx
    .insertInto("changes")
    .values({ ...fixed, ...rowOf(change) })
    .execute();
  await setItems(tx, { kind: "change", id }, change.ciIds);
}

/** Writes a change as it now is; tells it with its new revision. */
export async function save(
  tx: Tx,
  before: ChangeRecord,
  after: ChangeRecord,
  now: Date,
): Promise<ChangeRecord> {
  const saved = { ...after, revision: before.revision + 1, updatedAt: now.toISOString() };
  await tx.updateTable("changes").set(rowOf(saved)).where("id", "=", saved.id).execute();
  if (before.ciIds.join() !== saved.ciIds.join()) {
    await setItems(tx, { kind: "change", id: saved.id }, saved.ciIds);
  }
  return saved;
}

type Written = Omit<
  Insertable<Tables["changes"]>,
  "id" | "no" | "number" | "created_by" | "created_at" | "workspace_id" | "environment"
>;

function rowOf(change: ChangeRecord): Written {
  const { risk, approval } = change;
  return {
    title: change.title,
    description: change.description,
    state: change.state,
    type: change.type,
    template_id: change.templateId,
    impact: change.impact,
    risk_score: risk.score,
    risk_level: risk.level,
    risk_reasons: risk.reasons,
    planned_start: change.plannedStart,
    planned_end: change.plannedEnd,
    justification: change.justification,
    implementation_plan: change.implementationPlan,
    rollback_plan: change.rollbackPlan,
    test_plan: change.testPlan,
    approval_rule: approval.rule,
    approval_value: approval.value,
    approver_ids: approval.approverIds,
    round: change.round,
    approvals_given: change.approvalsGiven,
    assignee_id: change.assigneeId,
    team_id: change.teamId,
    submitted_at: change.submittedAt,
    approved_at: change.approvedAt,
    implemented_at: change.implementedAt,
    completed_at: change.completedAt,
    rolled_back_at: change.rolledBackAt,
    rejection_reason: change.rejectionReason,
    cancellation_reason: change.cancellationReason,
    implementation_notes: change.implementationNotes,
    completion_notes: change.completionNotes,
    rollback_notes: change.rollbackNotes,
    outcome: change.outcome,
    revision: change.revision,
    updated_at: change.updatedAt,
  };
}

function found(row: SqlRow | undefined): ChangeRecord {
  if (!row) throw new Failure(NotFound);
  return toChange(row);
}

/** A row of `COLUMNS`. */
export function toChange(row: SqlRow): ChangeRecord {
  // Whoever reads selects these columns, and only `rowOf` writes them.
  const { riskScore, riskLevel, riskReasons, approvalRule, approvalValue, approverIds, ...rest } =
    row as unknown as ChangeRow;
  return {
    ...rest,
    risk: { score: riskScore, level: riskLevel, reasons: riskReasons },
    approval: { rule: approvalRule, value: approvalValue, approverIds },
  };
}

interface ChangeRow extends Omit<ChangeRecord, "risk" | "approval"> {
  readonly riskScore: number;
  readonly riskLevel: ChangeRecord["risk"]["level"];
  readonly riskReasons: string[];
  readonly approvalRule: ChangeRecord["approval"]["rule"];
  readonly approvalValue: number;
  readonly approverIds: string[];
}
