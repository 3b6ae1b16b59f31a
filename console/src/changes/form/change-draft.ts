/** A change while somebody writes it: texts as the fields have them. */
import type { Schemas } from "../../data/api.ts";
import type { Change } from "../change/use-change.ts";
import { fromLocalInput, toLocalInput } from "./local-time.ts";

export interface ChangeDraft {
  readonly templateId: string;
  readonly title: string;
  readonly type: Change["type"];
  readonly impact: number;
  readonly justification: string;
  readonly implementationPlan: string;
  readonly testPlan: string;
  readonly rollbackPlan: string;
  readonly plannedStart: string;
  readonly plannedEnd: string;
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
    plannedStart: toLocalInput(change?.plannedStart ?? null),
    plannedEnd: toLocalInput(change?.plannedEnd ?? null),
    ciIds: change?.ciIds ?? [],
    approverIds: change?.approval.approverIds ?? [],
    approvals: change?.approvalsRequired ?? 1,
  };
}

/**
 * The draft with what a template says; what somebody wrote already stays, but for what a standard change is bound to.
 */
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

/** The body of a request. A standard change says nothing of what its template decides. */
export function toBody(draft: ChangeDraft): Readonly<Record<string, unknown>> {
  const { templateId, title, type, impact, justification, ciIds, approverIds, approvals } = draft;
  const { implementationPlan, testPlan, rollbackPlan } = draft;
  const value = approverIds.length > 0 ? Math.min(approvals, approverIds.length) : approvals;
  return {
    ...(templateId !== "" && { templateId }),
    title: title.trim(),
    type,
    justification,
    ciIds,
    plannedStart: fromLocalInput(draft.plannedStart),
    plannedEnd: fromLocalInput(draft.plannedEnd),
    ...(type !== "standard" && {
      impact,
      implementationPlan,
      testPlan,
      rollbackPlan,
      approval: { rule: "count", value, approverIds },
    }),
  };
}
