/** Edits and describes the steps of a macro. */
import type { Schemas } from "../../data/api.ts";

export type Step = Schemas["Macro"]["steps"][number];
export type ActName = Step["act"];

export const ACT_WORDS: Readonly<Record<ActName, string>> = {
  set: "Set fields",
  tag: "Edit tags",
  take: "Assign to me",
  comment: "Comment",
  hold: "Put on hold",
  resume: "Resume work",
  resolve: "Resolve",
  close: "Close",
  reopen: "Reopen",
  cancel: "Cancel",
};

export const ACTS = Object.keys(ACT_WORDS) as readonly ActName[];

/** Creates a step with default values. */
export function newStep(act: ActName): Step {
  switch (act) {
    case "set":
      return { act, set: {} };
    case "tag":
      return { act, add: [] };
    case "comment":
      return { act, body: "", internal: false };
    case "hold":
      return { act, reason: "" };
    case "resolve":
      return { act, resolution: "" };
    case "take":
    case "resume":
    case "close":
    case "reopen":
    case "cancel":
      return { act };
  }
}

/** Omits empty texts: the server rejects them. */
export function toSentStep(step: Step): Step {
  return Object.fromEntries(
    Object.entries(step).filter(([, value]) => value !== "" && value !== undefined),
  ) as Step;
}

/** Describes a macro in one line, such as "Take it, comment, put on hold". */
export function toSummary(
  steps: readonly Step[],
  nameOf: (id: string) => string | undefined,
): string {
  return steps.map((step, n) => lower(toWords(step, nameOf), n)).join(", ");
}

const lower = (text: string, n: number): string =>
  n === 0 ? text : text.charAt(0).toLowerCase() + text.slice(1);

function toWords(step: Step, nameOf: (id: string) => string | undefined): string {
  switch (step.act) {
    case "tag": {
      const parts = [
        ...(step.add ?? []).map((tag) => `+${tag}`),
        ...(step.remove ?? []).map((tag) => `−${tag}`),
      ];
      return `Tag ${parts.join(" ")}`;
    }
    case "comment":
      return step.internal === true ? "Internal note" : "Reply to the caller";
    case "set":
      return Object.entries(step.set)
        .map(([field, value]) => toSetWords(field, value, nameOf))
        .join(" and ");
    case "take":
    case "hold":
    case "resume":
    case "resolve":
    case "close":
    case "reopen":
    case "cancel":
      return ACT_WORDS[step.act];
  }
}

function toSetWords(
  field: string,
  value: unknown,
  nameOf: (id: string) => string | undefined,
): string {
  if (value === null) return field === "assigneeId" ? "Remove assignee" : "Remove team";
  const name = typeof value === "string" ? nameOf(value) : undefined;
  if (field === "teamId") return `Assign to ${name ?? "a team"}`;
  if (field === "assigneeId") return `Assign to ${name ?? "a former member"}`;
  return `Set ${field}`;
}

export function moveStep(steps: readonly Step[], from: number, by: number): readonly Step[] {
  const to = from + by;
  const step = steps[from];
  if (!step || to < 0 || to >= steps.length) return steps;
  return steps.toSpliced(from, 1).toSpliced(to, 0, step);
}
