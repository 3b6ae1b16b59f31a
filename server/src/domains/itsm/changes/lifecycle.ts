import { type StateMachine, stateMachine, invalidTransition } from "../tickets/index.ts";

/** How a change lives. A standard one passes through `submitted` and `approved` in one step. */
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
  moves: [
    { action: "submit", from: ["draft"], to: "submitted" },
    { action: "approve", from: ["submitted"], to: "approved" },
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

/** Those that will happen, or do: what else is planned must get along with them. */
export const PLANNED_STATES = ["submitted", "approved", "implementing"] as const;

const WINDOW: ReadonlySet<string> = new Set(["plannedStart", "plannedEnd"]);
const ROUTING: ReadonlySet<string> = new Set(["assigneeId", "teamId"]);

/**
 * Throws a 409 when one of these fields may no longer be changed: what was decided on stays as it was,
 * the window until work begins, who works on it until nothing is left to do.
 */
export function assertEditable(state: ChangeState, fields: readonly string[]): void {
  if (state === "draft" || state === "rejected") return;
  const open = !changeMachine.finalStates.includes(state);
  const isPlanned = state === "submitted" || state === "approved";
  const fixed = fields.find(
    (field) => !(open && ROUTING.has(field)) && !(isPlanned && WINDOW.has(field)),
  );
  if (fixed === undefined) return;
  throw invalidTransition(
    changeMachine,
    state,
    `In the state ${state}, ${fixed} can't be changed.`,
  );
}
