import { type StateMachine, stateMachine, invalidTransition } from "../tickets/index.ts";

/** The states of a change. A standard one passes through `submitted` to `approved` at once. */
export const changeMachine = stateMachine({
  kind: "change",
  states: [
    "draft",
    "submitted",
    "approved",
    "rejected",
    "implementing",
    "completed",
    "rolled_back",
    "cancelled",
  ],
  finalStates: ["completed", "rolled_back", "cancelled"],
  transitions: [
    { action: "submit", from: ["draft"], to: "submitted" },
    { action: "approve", from: ["submitted"], to: "approved" },
    // Triggered by an update that moves the change to other hours.
    { action: "reschedule", from: ["submitted", "approved"], to: "submitted", automatic: true },
    { action: "reject", from: ["submitted"], to: "rejected" },
    { action: "revise", from: ["rejected"], to: "draft" },
    { action: "implement", from: ["approved"], to: "implementing" },
    { action: "complete", from: ["implementing"], to: "completed" },
    { action: "rollback", from: ["implementing", "completed"], to: "rolled_back" },
    { action: "cancel", from: ["draft", "submitted", "approved", "rejected"], to: "cancelled" },
  ],
});

export type ChangeState = typeof changeMachine extends StateMachine<infer State> ? State : never;
export type ChangeAction =
  typeof changeMachine extends StateMachine<string, infer Action> ? Action : never;

/** The states of planned and active changes, which can conflict. */
export const PLANNED_STATES = ["submitted", "approved", "implementing"] as const;

const WINDOW_FIELDS: ReadonlySet<string> = new Set(["plannedStart", "plannedEnd"]);
const ROUTING_FIELDS: ReadonlySet<string> = new Set(["assigneeId", "teamId", "tags", "fields"]);

/**
 * Throws 409 if one of these fields is locked in this state: approved content, the window after the start of work,
 * and the assignment after the end of work.
 */
export function assertEditable(state: ChangeState, fields: readonly string[]): void {
  if (state === "draft" || state === "rejected") return;
  const isOpen = !changeMachine.finalStates.includes(state);
  const isPlanned = state === "submitted" || state === "approved";
  const fixed = fields.find(
    (field) => !(isOpen && ROUTING_FIELDS.has(field)) && !(isPlanned && WINDOW_FIELDS.has(field)),
  );
  if (fixed === undefined) return;
  throw invalidTransition(
    changeMachine,
    state,
    `In the state ${state}, ${fixed} can't be changed.`,
  );
}
