import { ticketStore } from "../tickets/index.ts";
import type { ChangeRecord } from "./change.ts";

interface ChangeRow extends Omit<ChangeRecord, "risk" | "approval"> {
  readonly riskScore: number;
  readonly riskLevel: ChangeRecord["risk"]["level"];
  readonly riskReasons: string[];
  readonly approvalRule: ChangeRecord["approval"]["rule"];
  readonly approvalValue: number;
  readonly approverIds: string[];
}

export const changeStore = ticketStore<ChangeRecord, ChangeRow>({
  kind: "change",
  table: "changes",
  fields: [
    "title",
    "description",
    "state",
    "type",
    "templateId",
    "impact",
    "riskScore",
    "riskLevel",
    "riskReasons",
    "plannedStart",
    "plannedEnd",
    "justification",
    "implementationPlan",
    "rollbackPlan",
    "testPlan",
    "approvalRule",
    "approvalValue",
    "approverIds",
    "round",
    "approvalsGiven",
    "assigneeId",
    "teamId",
    "submittedAt",
    "approvedAt",
    "implementedAt",
    "completedAt",
    "rolledBackAt",
    "rejectionReason",
    "cancellationReason",
    "implementationNotes",
    "completionNotes",
    "rollbackNotes",
    "outcome",
    "updatedAt",
  ],
  toTicket: (row) => {
    const { riskScore, riskLevel, riskReasons, approvalRule, approvalValue, approverIds, ...rest } =
      row;
    return {
      ...rest,
      risk: { score: riskScore, level: riskLevel, reasons: riskReasons },
      approval: { rule: approvalRule, value: approvalValue, approverIds },
    };
  },
  toRow: ({ risk, approval, ...rest }) => ({
    ...rest,
    riskScore: risk.score,
    riskLevel: risk.level,
    riskReasons: risk.reasons,
    approvalRule: approval.rule,
    approvalValue: approval.value,
    approverIds: approval.approverIds,
  }),
});
