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
    said: "in progress",
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
        label: "Reason for hold",
        placeholder: "Example: waiting for a replacement part",
        isRequired: true,
      },
      { name: "holdUntil", label: "On hold until" },
    ],
    undo: () => ({ op: "incidents.update", body: { state: "in_progress" } }),
    said: "on hold",
  }),
  action({
    id: "resolve",
    op: "incidents.resolve",
    label: "Resolve",
    keys: "e",
    fields: [
      { name: "resolution", label: "Resolution" },
      { name: "resolveChildren", label: "Also resolve child incidents" },
    ],
    undo: () => ({ op: "incidents.reopen", body: { reason: "Resolved by mistake" } }),
    said: "resolved",
    isMain: true,
  }),
  action({
    id: "reopen",
    op: "incidents.reopen",
    label: "Reopen",
    fields: [{ name: "reason", label: "Reason" }],
    said: "reopened",
    isMain: true,
  }),
  action({
    id: "close",
    op: "incidents.close",
    label: "Close",
    undo: () => ({ op: "incidents.reopen", body: { reason: "Closed by mistake" } }),
    said: "closed",
  }),
  action({
    id: "escalate",
    op: "incidents.escalate",
    label: "Escalate…",
    keys: "shift+e",
    fields: [
      { name: "severity", label: "Severity" },
      { name: "teamId", label: "Assign to team" },
      { name: "reason", label: "Reason" },
    ],
    said: "escalated",
  }),
  action({
    id: "merge",
    op: "incidents.merge",
    label: "Merge into…",
    title: (number) => `Merge ${number} into…`,
    keys: "m",
    fields: [{ name: "intoId", label: "Merge into", picks: "incident" }],
    undo: () => ({ op: "incidents.unmerge", body: {} }),
    said: "merged",
  }),
  action({
    id: "split",
    op: "incidents.split",
    label: "Split ticket…",
    fields: [
      { name: "title", label: "Title of the new ticket" },
      { name: "description", label: "Description" },
    ],
    said: "split",
  }),
  action({
    id: "major",
    op: "incidents.declare_major",
    label: "Declare major incident…",
    fields: [{ name: "reason", label: "Reason" }],
    said: "declared a major incident",
    isDangerous: true,
  }),
  action({
    id: "cancel",
    op: "incidents.cancel",
    label: "Cancel…",
    fields: [{ name: "reason", label: "Reason" }],
    said: "cancelled",
    isDangerous: true,
  }),
];
