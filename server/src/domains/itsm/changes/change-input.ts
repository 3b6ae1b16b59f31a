/** The input of a change: applied to the current change and validated against it. */
import { labelFields } from "../tickets/index.ts";
import Type, { type Static } from "typebox";
import { invalidField, invalidInput } from "#kernel/operation/failure.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import {
  applyApprovalInput,
  checkApproval,
  ONE_APPROVAL,
  requiredApprovals,
} from "./approval/approval.ts";
import { type ChangeRecord, content, TemplateId } from "./change.ts";
import { type ChangeTemplate, templateDeviations } from "./templates/template.ts";
import { assertOrder, parseMoment } from "./windows/window.ts";

export const ChangePatch = patch({ ...content, ...labelFields });
export type ChangePatch = Static<typeof ChangePatch>;

/** The template can provide the title. */
export const ChangeInput = object({
  ...ChangePatch.properties,
  templateId: Type.Optional(TemplateId),
});
export type ChangeInput = Static<typeof ChangeInput>;

type Identity = Pick<ChangeRecord, "id" | "number" | "createdBy" | "createdAt" | "updatedAt">;

/** Creates a change from the template fields. */
export function emptyChange(
  identity: Identity,
  template: ChangeTemplate | undefined,
): ChangeRecord {
  return {
    ...identity,
    title: template?.title ?? "",
    description: template?.description ?? "",
    state: "draft",
    type: "normal",
    templateId: template?.id ?? null,
    impact: template?.impact ?? 3,
    justification: template?.justification ?? "",
    implementationPlan: template?.implementationPlan ?? "",
    rollbackPlan: template?.rollbackPlan ?? "",
    testPlan: template?.testPlan ?? "",
    risk: { score: 0, level: "low", reasons: [] },
    plannedStart: null,
    plannedEnd: null,
    approval: ONE_APPROVAL,
    round: 0,
    approvalsGiven: 0,
    assigneeId: null,
    teamId: null,
    ciIds: [],
    submittedAt: null,
    approvedAt: null,
    implementedAt: null,
    completedAt: null,
    rolledBackAt: null,
    rejectionReason: null,
    cancellationReason: null,
    implementationNotes: null,
    completionNotes: null,
    rollbackNotes: null,
    outcome: null,
    revision: 1,
  };
}

/** The change with the fields of a patch. Throws 422 if they contradict each other. */
export function applyChangePatch(before: ChangeRecord, input: ChangePatch): ChangeRecord {
  const { plannedStart, plannedEnd, approval, approvalsRequired, ciIds, ...rest } = input;
  const isShorthand = approvalsRequired !== undefined && !approval;
  const approvalInput = isShorthand
    ? { rule: "count" as const, value: approvalsRequired }
    : (approval ?? {});
  const after: ChangeRecord = {
    ...before,
    ...rest,
    ...(plannedStart !== undefined && {
      plannedStart: parseOptionalMoment("/plannedStart", plannedStart),
    }),
    ...(plannedEnd !== undefined && { plannedEnd: parseOptionalMoment("/plannedEnd", plannedEnd) }),
    ...(ciIds && { ciIds: [...new Set(ciIds)].toSorted() }),
    approval: applyApprovalInput(before.approval, approvalInput),
  };
  if (after.title === "") throw invalidField("/title", "is required");
  const path = plannedEnd === undefined && plannedStart ? "/plannedStart" : "/plannedEnd";
  assertOrder(path, after.plannedStart, after.plannedEnd);
  const error = checkApproval(after.approval, after.createdBy);
  if (error) throw invalidInput([isShorthand ? { ...error, path: "/approvalsRequired" } : error]);
  if (approvalsRequired !== undefined && approval) {
    assertSameCount(approvalsRequired, requiredApprovals("normal", after.approval));
  }
  return after;
}

/** Throws 422 unless a standard change follows an active template. */
export function assertFollowsTemplate(
  change: ChangeRecord,
  template: ChangeTemplate | undefined,
): void {
  if (change.type !== "standard") return;
  if (!template?.active) {
    throw invalidField("/templateId", "must be the id of an active template for a standard change");
  }
  const errors = templateDeviations(change, template).map((field) => ({
    path: `/${field}`,
    message: "must be the same as in the template of the standard change",
  }));
  if (errors.length > 0) throw invalidInput(errors);
}

function assertSameCount(approvalsRequired: number, required: number): void {
  if (approvalsRequired === required) return;
  throw invalidField("/approvalsRequired", "must be consistent with `approval`, or be omitted");
}

function parseOptionalMoment(path: string, time: string | null): string | null {
  return time === null ? null : parseMoment(path, time);
}
