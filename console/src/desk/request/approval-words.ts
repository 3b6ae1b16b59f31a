import type { Schemas } from "../../data/api.ts";
import { toWords } from "../../ui/words.ts";

type Step = Pick<
  Schemas["NamedApprovalStep"],
  "rule" | "quorum" | "approvers" | "people" | "startedAt"
>;

/** Describes the approvers of a step: `Ann or Ben`, `2 of: Ann, role Agent`, `Manager (Ann)`. */
export function sayAsked({ rule, quorum, approvers, people, startedAt }: Step): string {
  if (startedAt !== null && people.length === 0) return "Members who fulfil requests";
  const names = approvers.map(({ kind, name }) => {
    if (kind === "person") return name ?? "Former member";
    if (kind === "manager") return people.length === 1 ? `Manager (${people[0]?.name})` : "Manager";
    return kind === "team" ? `Team ${name}` : `Role ${toWords(name ?? "")}`;
  });
  if (names.length === 0) return people.map(({ name }) => name).join(", ");
  if (rule === "quorum") return `${quorum ?? 1} of: ${names.join(", ")}`;
  const type = rule === "all" ? "conjunction" : "disjunction";
  return new Intl.ListFormat("en", { type }).format(names);
}
