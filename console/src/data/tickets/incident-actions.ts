import { actionOf, take, type TicketAction } from "./action.ts";

const action = actionOf("incident");

export const INCIDENT_ACTIONS: readonly TicketAction[] = [
  take("incidents.take", "incidents.update"),
  action({
    id: "start",
    op: "incidents.update",
    transition: "start",
    label: "Start work",
    keys: "s",
    body: { state: "in_progress" },
    shows: () => ({ state: "in_progress", onHoldReason: null }),
    undo: ({ state, onHoldReason }) =>
      state === "on_hold"
        ? { op: "incidents.update", body: { state: "on_hold", onHoldReason } }
        : undefined,
    said: "is in progress",
  }),
  action({
    id: "hold",
    op: "incidents.update",
    transition: "hold",
    label: "Put on hold",
    keys: "h",
    body: { state: "on_hold" },
    fields: [
      {
        name: "onHoldReason",
        label: "What does it wait for?",
        placeholder: "The part arrives on Thursday",
        isRequired: true,
      },
      { name: "holdUntil", label: "Until" },
    ],
    undo: () => ({ op: "incidents.update", body: { state: "in_progress" } }),
    said: "is on hold",
  }),
  action({
    id: "resolve",
    op: "incidents.resolve",
    label: "Resolve",
    keys: "e",
    fields: [
      { name: "resolution", label: "What solved it?" },
      { name: "resolveChildren", label: "Resolve its children too" },
    ],
    undo: () => ({ op: "incidents.reopen", body: { reason: "Resolved by mistake" } }),
    said: "is resolved",
    isMain: true,
  }),
  action({
    id: "reopen",
    op: "incidents.reopen",
    label: "Reopen",
    fields: [{ name: "reason", label: "Why?" }],
    said: "is open again",
    isMain: true,
  }),
  action({
    id: "close",
    op: "incidents.close",
    label: "Close",
    undo: () => ({ op: "incidents.reopen", body: { reason: "Closed by mistake" } }),
    said: "is closed",
  }),
  action({
    id: "escalate",
    op: "incidents.escalate",
    label: "Escalate…",
    keys: "shift+e",
    fields: [
      { name: "severity", label: "Severity" },
      { name: "teamId", label: "To the team" },
      { name: "reason", label: "Why?" },
    ],
    said: "is escalated",
  }),
  action({
    id: "merge",
    op: "incidents.merge",
    label: "Merge into…",
    title: (number) => `Merge ${number} into…`,
    keys: "m",
    fields: [{ name: "intoId", label: "Ticket that stays open", picks: "incident" }],
    undo: () => ({ op: "incidents.unmerge", body: {} }),
    said: "was merged",
  }),
  action({
    id: "split",
    op: "incidents.split",
    label: "Split off another…",
    fields: [
      { name: "title", label: "What is the other one about?" },
      { name: "description", label: "More about it" },
    ],
    said: "has another beside it",
  }),
  action({
    id: "major",
    op: "incidents.declare_major",
    label: "Declare a major incident…",
    fields: [{ name: "reason", label: "Why?" }],
    said: "is a major incident",
    isDangerous: true,
  }),
  action({
    id: "cancel",
    op: "incidents.cancel",
    label: "Cancel…",
    fields: [{ name: "reason", label: "Why?" }],
    said: "is cancelled",
    isDangerous: true,
  }),
];
