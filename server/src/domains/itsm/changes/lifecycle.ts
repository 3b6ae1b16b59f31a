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
    // By an update that moves it into other hours.
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

/** The states of changes that will happen, or do; other changes may be in conflict with these. */
export const PLANNED_STATES = ["submitted", "approved", "implementing"] as const;

const WINDOW_FIELDS: ReadonlySet<string> = new Set(["plannedStart", "plannedEnd"]);
const ROUTING_FIELDS: ReadonlySet<string> = new Set(["assigneeId", "teamId", "tags", "fields"]);

/**
 * Throws a 409 when one of these fields may no longer be changed: what was decided on stays as it was,
 * the window until work begins, who works on it until nothing is left to do.
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
