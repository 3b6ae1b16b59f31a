/** The actions of each ticket kind, sorted by importance, for the desk and for the pages of changes. */
import { type ActionTicket, actionOf, statesOf, take, type TicketAction } from "./action.ts";
import { INCIDENT_ACTIONS } from "./incident-actions.ts";

const ofRequest = actionOf("request");
const ofProblem = actionOf("problem");
const ofChange = actionOf("change");

const REQUEST_ACTIONS: readonly TicketAction[] = [
  take("requests.take", "requests.update"),
  ofRequest({
    id: "fulfil",
    op: "requests.fulfil",
    label: "Fulfil",
    keys: "e",
    fields: [{ name: "notes", label: "Notes" }],
    said: "fulfilled",
    isMain: true,
  }),
  ofRequest({
    id: "approve",
    op: "requests.approve",
    label: "Approve",
    fields: [{ name: "comment", label: "Comment" }],
    said: "approved",
    isMain: true,
  }),
  ofRequest({
    id: "reject",
    op: "requests.reject",
    label: "Reject…",
    fields: [{ name: "reason", label: "Reason", isRequired: true }],
    said: "rejected",
    isDangerous: true,
  }),
  ofRequest({
    id: "remind",
    op: "requests.remind",
    label: "Remind approvers",
    said: "reminder sent to approvers",
  }),
  ofRequest({
    id: "retry",
    op: "requests.retry",
    label: "Retry workflow",
    said: "workflow retried",
  }),
  ofRequest({
    id: "cancel",
    op: "requests.cancel",
    label: "Cancel…",
    fields: [{ name: "reason", label: "Reason" }],
    said: "cancelled",
    isDangerous: true,
  }),
];

const PROBLEM_ACTIONS: readonly TicketAction[] = [
  take("problems.take", "problems.update"),
  ofProblem({
    id: "start",
    op: "problems.investigate",
    label: "Investigate",
    keys: "s",
    shows: () => ({ state: "investigating" }),
    said: "under investigation",
  }),
  ofProblem({
    id: "known",
    op: "problems.declare_known_error",
    label: "Declare known error…",
    fields: [
      { name: "rootCause", label: "Cause", isRequired: true },
      { name: "workaround", label: "Workaround" },
    ],
    said: "declared a known error",
  }),
  ofProblem({
    id: "resolve",
    op: "problems.resolve",
    label: "Resolve",
    keys: "e",
    fields: [{ name: "resolution", label: "Resolution" }],
    undo: () => ({ op: "problems.reopen", body: {} }),
    said: "resolved",
    isMain: true,
  }),
  ofProblem({ id: "close", op: "problems.close", label: "Close", said: "closed" }),
  ofProblem({
    id: "reopen",
    op: "problems.reopen",
    label: "Reopen",
    said: "reopened",
    isMain: true,
  }),
];

const CHANGE_ACTIONS: readonly TicketAction[] = [
  take("changes.take", "changes.update"),
  ofChange({
    id: "submit",
    op: "changes.submit",
    label: "Submit",
    keys: "s",
    said: "submitted",
    asks: {
      title: "Submit this change?",
      text: "The approvers get a notification and can approve or reject it.",
      act: "Submit",
    },
    isMain: true,
  }),
  ofChange({
    id: "approve",
    op: "changes.approve",
    label: "Approve",
    fields: [{ name: "comment", label: "Comment" }],
    said: "approved",
    isMain: true,
  }),
  ofChange({
    id: "reject",
    op: "changes.reject",
    label: "Reject…",
    fields: [{ name: "reason", label: "Reason", isRequired: true }],
    said: "rejected",
    isDangerous: true,
  }),
  ofChange({
    id: "revise",
    op: "changes.revise",
    label: "Return to draft",
    keys: "r",
    said: "returned to draft",
    isMain: true,
  }),
  ofChange({
    id: "implement",
    op: "changes.implement",
    label: "Start",
    keys: "s",
    needsReason: true,
    fields: [{ name: "notes", label: "Notes" }],
    said: "implementation started",
    isMain: true,
  }),
  ofChange({
    id: "complete",
    op: "changes.complete",
    label: "Complete",
    keys: "e",
    fields: [{ name: "notes", label: "Notes" }],
    said: "completed",
    isMain: true,
  }),
  ofChange({
    id: "rollback",
    op: "changes.rollback",
    label: "Roll back…",
    keys: "u",
    fields: [{ name: "notes", label: "Notes" }],
    said: "rolled back",
    isDangerous: true,
  }),
  ofChange({
    id: "cancel",
    op: "changes.cancel",
    label: "Cancel…",
    keys: "x",
    fields: [{ name: "reason", label: "Reason" }],
    said: "cancelled",
    isDangerous: true,
  }),
];

export const TICKET_ACTIONS = {
  incident: INCIDENT_ACTIONS,
  request: REQUEST_ACTIONS,
  problem: PROBLEM_ACTIONS,
  change: CHANGE_ACTIONS,
} as const;

/** Returns the actions available in a ticket's state, sorted by importance. */
export function actionsFor(
  ticket: Pick<ActionTicket, "kind" | "state" | "isMajor">,
): readonly TicketAction[] {
  return TICKET_ACTIONS[ticket.kind].filter((action) => {
    if (action.id === "major" && ticket.isMajor) return false;
    return statesOf(ticket.kind, action)?.includes(ticket.state) !== false;
  });
}

/** Returns why an action is disabled, apart from a missing permission. */
export function whyNot(
  { id, op }: TicketAction,
  { assigneeId, runId }: Pick<ActionTicket, "assigneeId" | "runId">,
  meId: string | undefined,
): string | undefined {
  if (id === "take" && assigneeId !== null) {
    return assigneeId === meId
      ? "Already assigned to you."
      : "Assigned to another member. To take it over, change the assignee.";
  }
  return op === "requests.fulfil" && runId ? "A workflow fulfils this request." : undefined;
}
