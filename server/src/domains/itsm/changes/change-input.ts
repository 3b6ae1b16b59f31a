/** What a change says: what is given on top of what there is, and whether that can be. */
import type { Static } from "typebox";
import { Failure, type FieldError, invalidField, Invalid } from "#kernel/operation/failure.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import Type from "typebox";
import { approvalFrom, faultOf, ONE_APPROVAL, requiredApprovals } from "./approval/approval.ts";
import { type ChangeRecord, content, TemplateId } from "./change.ts";
import { type ChangeTemplate, templateDeviations } from "./templates/template.ts";
import { assertOrdered, momentAt } from "./windows/window.ts";

export const ChangePatch = patch(content);
export type ChangePatch = Static<typeof ChangePatch>;

/** The title may be left to the template. */
export const ChangeInput = object({
  ...ChangePatch.properties,
  templateId: Type.Optional(TemplateId),
});
export type ChangeInput = Static<typeof ChangeInput>;

type Identity = Pick<
  ChangeRecord,
  "id" | "no" | "number" | "createdBy" | "createdAt" | "updatedAt"
>;

/** A change of which nothing is said yet but what its template says. */
export function blank(identity: Identity, template: ChangeTemplate | undefined): ChangeRecord {
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

/** A change with what was given, throwing a 422 where that is nothing that could be done. */
export function withGiven(before: ChangeRecord, given: ChangePatch): ChangeRecord {
  const { plannedStart, plannedEnd, approval, approvalsRequired, ciIds, ...plain } = given;
  const short = approvalsRequired !== undefined && !approval;
  const asked = short ? { rule: "count" as const, value: approvalsRequired } : (approval ?? {});
  const after: ChangeRecord = {
    ...before,
    ...plain,
    ...(plannedStart !== undefined && { plannedStart: moment("/plannedStart", plannedStart) }),
    ...(plannedEnd !== undefined && { plannedEnd: moment("/plannedEnd", plannedEnd) }),
    ...(ciIds && { ciIds: [...new Set(ciIds)].toSorted() }),
    approval: approvalFrom(before.approval, asked),
  };
  if (after.title === "") throw invalidField("/title", "is required");
  const path = plannedEnd === undefined && plannedStart ? "/plannedStart" : "/plannedEnd";
  assertOrdered(path, after.plannedStart, after.plannedEnd);
  const fault = faultOf(after.approval, after.createdBy);
  if (fault) throw refusal([short ? { ...fault, path: "/approvalsRequired" } : fault]);
  if (approvalsRequired !== undefined && approval) {
    assertAgreed(approvalsRequired, requiredApprovals("normal", after.approval));
  }
  return after;
}

/** Throws a 422 unless a standard change does what an active template says. */
export function assertByTemplate(change: ChangeRecord, template: ChangeTemplate | undefined): void {
  if (change.type !== "standard") return;
  if (!template?.active) {
    throw invalidField("/templateId", "must be the id of an active template for a standard change");
  }
  const faults = templateDeviations(change, template).map((field) => ({
    path: `/${field}`,
    message: "must be the template's for a standard change",
  }));
  if (faults.length > 0) throw refusal(faults);
}

function assertAgreed(approvalsRequired: number, required: number): void {
  if (approvalsRequired === required) return;
  throw invalidField("/approvalsRequired", "must be what `approval` says, or be left out");
}

function moment(path: string, given: string | null): string | null {
  return given === null ? null : momentAt(path, given);
}

function refusal(faults: readonly FieldError[]): Failure {
  const [first] = faults;
  return new Failure(Invalid, { detail: `${first?.path} ${first?.message}`, errors: faults });
}
