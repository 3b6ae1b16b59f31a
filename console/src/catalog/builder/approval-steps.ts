/** The approval of an item in the editor: a list of steps, with one text value per approver. */
import type { Schemas } from "../../data/api.ts";
import { MANAGER } from "../../data/options/approver-option.ts";

type Approval = Schemas["CatalogItem"]["approval"];
type StepOf<T> = T extends readonly (infer S)[] ? S : never;
export type ApprovalStep = StepOf<NonNullable<Approval["steps"]>>;
type Approver = ApprovalStep["approvers"][number];

/** The value of an approver: an id, or `manager`. */
export const wordOf = ({ kind, id }: Approver): string =>
  kind === "manager" ? MANAGER : (id ?? "");

/** The approver of a value. The prefix of an id shows its kind; other values are roles. */
export function approverOf(word: string): Approver {
  if (word === MANAGER) return { kind: "manager" };
  if (word.startsWith("usr_")) return { kind: "person", id: word };
  return { kind: word.startsWith("tem_") ? "team" : "role", id: word };
}

/** The steps of an approval. An approval without steps has one step. */
export function stepsOf({ steps = [], approverIds, rule }: Approval): readonly ApprovalStep[] {
  if (steps.length > 0) return steps;
  return [{ approvers: approverIds.map(approverOf), rule: rule ?? "any" }];
}

/** Replaces the steps of an approval. A single step of people is stored without steps. */
export function withSteps(approval: Approval, steps: readonly ApprovalStep[]): Approval {
  const [only] = steps;
  const isPlain =
    steps.length <= 1 && (only?.approvers.every(({ kind }) => kind === "person") ?? true);
  if (isPlain && only?.rule !== "quorum") {
    const approverIds = (only?.approvers ?? []).map(wordOf);
    return { ...approval, approverIds, rule: only?.rule ?? "any", steps: [] };
  }
  return { ...approval, approverIds: [], rule: "any", steps: [...steps] };
}

/** Returns whether one of several steps has no approvers: the server rejects this. */
export const lacksApprovers = (steps: readonly ApprovalStep[]): boolean =>
  steps.length > 1 && steps.some(({ approvers }) => approvers.length === 0);
