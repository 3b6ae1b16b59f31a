/** The acts of each kind of ticket, by weight. */
import type { Kind, Ticket } from "../ticket-kind.ts";
import { type ActSpec, MAYBE_REASON, REASON, take } from "./act-spec.ts";
import { CHANGE } from "./change-acts.ts";

export type { ActField, ActSpec, UndoSpec } from "./act-spec.ts";

const OPEN = ["new", "in_progress", "on_hold"];
const INCIDENT: readonly ActSpec[] = [
  { ...take("incidents.take", "incidents.update", "incidents:write"), from: OPEN },
  {
    id: "start",
    label: "Start work",
    keys: "s",
    op: "incidents.update",
    from: ["new", "on_hold"],
    permission: "incidents:write",
    body: { state: "in_progress" },
    shows: () => ({ state: "in_progress", onHoldReason: null }),
    undo: ({ state, onHoldReason }) =>
      state === "on_hold"
        ? { op: "incidents.update", body: { state: "on_hold", onHoldReason } }
        : undefined,
    said: "is in progress",
  },
  {
    id: "hold",
    label: "Put on hold",
    keys: "h",
    op: "incidents.update",
    from: ["new", "in_progress"],
    permission: "incidents:write",
    fields: [
      {
        name: "onHoldReason",
        label: "What does it wait for?",
        type: "line",
        placeholder: "The part arrives on Thursday",
      },
      { name: "holdUntil", label: "Until", type: "time", isOptional: true },
    ],
    body: { state: "on_hold" },
    undo: () => ({ op: "incidents.update", body: { state: "in_progress" } }),
    said: "is on hold",
  },
  {
    id: "resolve",
    label: "Resolve",
    keys: "e",
    op: "incidents.resolve",
    from: OPEN,
    permission: "incidents:resolve",
    fields: [
      { name: "resolution", label: "What solved it?", type: "area" },
      {
        name: "resolveChildren",
        label: "Resolve its children too",
        type: "check",
        isOptional: true,
      },
    ],
    undo: () => ({ op: "incidents.reopen", body: { reason: "Resolved by mistake" } }),
    said: "is resolved",
    isMain: true,
  },
  {
    id: "reopen",
    label: "Reopen",
    op: "incidents.reopen",
    from: ["resolved", "closed"],
    permission: "incidents:write",
    fields: [MAYBE_REASON],
    said: "is open again",
    isMain: true,
  },
  {
    id: "close",
    label: "Close",
    op: "incidents.close",
    from: ["resolved"],
    permission: "incidents:write",
    undo: () => ({ op: "incidents.reopen", body: { reason: "Closed by mistake" } }),
    said: "is closed",
  },
  {
    id: "escalate",
    label: "Escalate…",
    keys: "shift+e",
    op: "incidents.escalate",
    from: OPEN,
    permission: "incidents:write",
    fields: [
      { name: "severity", label: "Severity", type: "severity", isOptional: true },
      { name: "teamId", label: "To the team", type: "team", isOptional: true },
      REASON,
    ],
    said: "is escalated",
  },
  {
    id: "merge",
    label: "Merge into…",
    keys: "m",
    op: "incidents.merge",
    from: OPEN,
    permission: "incidents:write",
    fields: [
      {
        name: "intoId",
        label: "Ticket that stays open",
        type: "ticket",
      },
    ],
    undo: () => ({ op: "incidents.unmerge", body: {} }),
    said: "was merged",
  },
  {
    id: "split",
    label: "Split off another…",
    op: "incidents.split",
    from: OPEN,
    permission: "incidents:write",
    fields: [
      { name: "title", label: "What is the other one about?", type: "line" },
      { name: "description", label: "More about it", type: "area", isOptional: true },
    ],
    said: "has another beside it",
  },
  {
    id: "major",
    label: "Declare a major incident…",
    op: "incidents.declare_major",
    from: OPEN,
    permission: "incidents:write",
    fields: [MAYBE_REASON],
    said: "is a major incident",
    isDangerous: true,
  },
  {
    id: "cancel",
    label: "Cancel…",
    op: "incidents.cancel",
    from: ["new", "in_progress", "on_hold"],
    permission: "incidents:write",
    fields: [MAYBE_REASON],
    said: "is cancelled",
    isDangerous: true,
  },
];

const REQUEST: readonly ActSpec[] = [
  take("requests.take", "requests.update", "requests:work"),
  {
    id: "fulfil",
    label: "Fulfil",
    keys: "e",
    op: "requests.fulfil",
    from: ["fulfilling"],
    permission: "requests:work",
    fields: [{ name: "notes", label: "What was done", type: "area", isOptional: true }],
    said: "is fulfilled",
    isMain: true,
  },
  {
    id: "approve",
    label: "Approve",
    op: "requests.approve",
    from: ["awaiting_approval"],
    permission: "requests:submit",
    fields: [{ name: "comment", label: "Comment", type: "area", isOptional: true }],
    said: "has your yes",
    isMain: true,
  },
  {
    id: "reject",
    label: "Reject…",
    op: "requests.reject",
    from: ["awaiting_approval"],
    permission: "requests:submit",
    fields: [REASON],
    said: "is rejected",
    isDangerous: true,
  },
  {
    id: "retry",
    label: "Try its workflow again",
    op: "requests.retry",
    from: ["failed"],
    permission: "requests:work",
    said: "is tried again",
  },
  {
    id: "cancel",
    label: "Cancel…",
    op: "requests.cancel",
    from: ["submitted", "awaiting_approval", "approved", "fulfilling"],
    permission: "requests:submit",
    fields: [MAYBE_REASON],
    said: "is cancelled",
    isDangerous: true,
  },
];

const PROBLEM: readonly ActSpec[] = [
  take("problems.take", "problems.update", "problems:write"),
  {
    id: "start",
    label: "Investigate",
    keys: "s",
    op: "problems.investigate",
    from: ["open"],
    permission: "problems:write",
    shows: () => ({ state: "investigating" }),
    said: "is investigated",
  },
  {
    id: "known",
    label: "Declare a known error…",
    op: "problems.declare_known_error",
    from: ["open", "investigating"],
    permission: "problems:write",
    fields: [
      { name: "rootCause", label: "Cause", type: "area" },
      { name: "workaround", label: "Workaround", type: "area", isOptional: true },
    ],
    said: "is a known error",
  },
  {
    id: "resolve",
    label: "Resolve",
    keys: "e",
    op: "problems.resolve",
    from: ["open", "investigating", "known_error"],
    permission: "problems:write",
    fields: [{ name: "resolution", label: "What solved it?", type: "area" }],
    undo: () => ({ op: "problems.reopen", body: {} }),
    said: "is resolved",
    isMain: true,
  },
  {
    id: "close",
    label: "Close",
    op: "problems.close",
    from: ["resolved"],
    permission: "problems:write",
    said: "is closed",
  },
  {
    id: "reopen",
    label: "Reopen",
    op: "problems.reopen",
    from: ["resolved", "closed"],
    permission: "problems:write",
    said: "is open again",
    isMain: true,
  },
];

const ACTS: Readonly<Record<Kind, readonly ActSpec[]>> = {
  incident: INCIDENT,
  request: REQUEST,
  problem: PROBLEM,
  change: CHANGE,
};

/** The acts of a ticket's kind that make sense in its state, in order of weight. */
export function actsFor(ticket: Pick<Ticket, "kind" | "state" | "isMajor">): readonly ActSpec[] {
  return ACTS[ticket.kind].filter(
    ({ id, from }) =>
      (from === undefined || from.includes(ticket.state)) && !(id === "major" && ticket.isMajor),
  );
}

export interface ActRefusal {
  readonly may: (permission: string) => boolean;
  readonly meId: string | undefined;
}

/** Says why somebody can't do an act now. */
export function refusalOf(
  act: ActSpec,
  ticket: Pick<Ticket, "assigneeId" | "all">,
  { may, meId }: ActRefusal,
): string | undefined {
  if (!may(act.permission)) return `You may not do that here (${act.permission}).`;
  if (act.id === "take" && ticket.assigneeId === meId) return "It is yours already.";
  if (act.op === "requests.fulfil" && typeof ticket.all["runId"] === "string") {
    return "A workflow fulfils this request.";
  }
  return undefined;
}
