/** A change in a form, before it is sent. */
import type { Schemas } from "../../data/api.ts";
import type { Change } from "../change/use-change.ts";

export interface ChangeDraft {
  readonly templateId: string;
  readonly title: string;
  readonly type: Change["type"];
  readonly impact: number;
  readonly justification: string;
  readonly implementationPlan: string;
  readonly testPlan: string;
  readonly rollbackPlan: string;
  readonly plannedStart: string | null;
  readonly plannedEnd: string | null;
  readonly ciIds: readonly string[];
  readonly approverIds: readonly string[];
  readonly approvals: number;
}

export function draftOf(change: Change | undefined): ChangeDraft {
  return {
    templateId: change?.templateId ?? "",
    title: change?.title ?? "",
    type: change?.type ?? "normal",
    impact: change?.impact ?? 3,
    justification: change?.justification ?? "",
    implementationPlan: change?.implementationPlan ?? "",
    testPlan: change?.testPlan ?? "",
    rollbackPlan: change?.rollbackPlan ?? "",
    plannedStart: change?.plannedStart ?? null,
    plannedEnd: change?.plannedEnd ?? null,
    ciIds: change?.ciIds ?? [],
    approverIds: change?.approval.approverIds ?? [],
    approvals: change?.approvalsRequired ?? 1,
  };
}

/** Fills the draft from a template: existing values are kept, except for the fixed fields of a standard change. */
export function fillFrom(
  draft: ChangeDraft,
  template: Schemas["ChangeTemplate"] | undefined,
): ChangeDraft {
  if (!template) {
    return { ...draft, templateId: "", type: draft.type === "standard" ? "normal" : draft.type };
  }
  const { id, title, name, impact, justification, implementationPlan, testPlan, rollbackPlan } =
    template;
  return {
    ...draft,
    templateId: id,
    type: "standard",
    title: draft.title === "" ? title || name : draft.title,
    justification: draft.justification === "" ? justification : draft.justification,
    impact,
    implementationPlan,
    testPlan,
    rollbackPlan,
  };
}

/** Returns the request body. For standard changes it omits the fields that the template sets. */
export function toBody(draft: ChangeDraft) {
  const { templateId, title, type, impact, justification, ciIds, approverIds, approvals } = draft;
  const { implementationPlan, testPlan, rollbackPlan } = draft;
  const least = approvals || 1;
  const value = approverIds.length > 0 ? Math.min(least, approverIds.length) : least;
  return {
    ...(templateId !== "" && { templateId }),
    title: title.trim(),
    type,
    justification,
    ciIds,
    plannedStart: draft.plannedStart,
    plannedEnd: draft.plannedEnd,
    ...(type !== "standard" && {
      impact,
      implementationPlan,
      testPlan,
      rollbackPlan,
      approval: { rule: "count" as const, value, approverIds },
    }),
  };
}
