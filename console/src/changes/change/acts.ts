/** The acts on a change: which its state has, by which key, and who may do them. */
import type { Change } from "./use-change.ts";

export type ActName =
  | "submit"
  | "revise"
  | "implement"
  | "complete"
  | "rollback"
  | "cancel"
  | "take"
  | "edit"
  | "move";

export interface Act {
  readonly name: ActName;
  readonly keys: string;
  readonly label: string;
  /** Asks for words before it is done. */
  readonly asks?: "notes" | "reason";
  readonly isMain?: boolean;
}

/** The words that a person gives with an act. */
export interface ActWords {
  readonly words: string;
  /** Why the change starts although something is in its way. */
  readonly reason: string;
}

const PLANNED: readonly Change["state"][] = ["draft", "submitted", "approved", "rejected"];
const DRAFT: readonly Change["state"][] = ["draft", "rejected"];
const OPEN: readonly Change["state"][] = [...PLANNED, "implementing"];

const ACTS: readonly (Act & { readonly from: readonly Change["state"][] })[] = [
  { name: "submit", keys: "s", label: "Submit", from: ["draft"], isMain: true },
  { name: "revise", keys: "r", label: "Back to draft", from: ["rejected"], isMain: true },
  { name: "implement", keys: "s", label: "Start", from: ["approved"], asks: "notes", isMain: true },
  {
    name: "complete",
    keys: "d",
    label: "Done",
    from: ["implementing"],
    asks: "notes",
    isMain: true,
  },
  { name: "take", keys: "a", label: "Assign to me", from: OPEN },
  { name: "edit", keys: "e", label: "Edit", from: DRAFT },
  { name: "move", keys: "w", label: "Reschedule", from: PLANNED },
  {
    name: "rollback",
    keys: "u",
    label: "Roll back",
    from: ["implementing", "completed"],
    asks: "notes",
  },
  { name: "cancel", keys: "x", label: "Cancel the change", from: PLANNED, asks: "reason" },
];

/** The acts that a change has now, the main one first. */
export function listActs(
  { state, assigneeId }: Pick<Change, "state" | "assigneeId">,
  me: string | undefined,
): readonly Act[] {
  return ACTS.filter(
    ({ name, from }) =>
      from.includes(state) && (name !== "take" || assigneeId === null || assigneeId !== me),
  );
}

/** The sentence about an act that was done. */
export const DONE: Readonly<Record<ActName, string>> = {
  submit: "is handed in",
  revise: "is a draft again",
  implement: "has begun",
  complete: "is done",
  rollback: "was rolled back",
  cancel: "was given up",
  take: "is yours",
  edit: "was changed",
  move: "was moved",
};
