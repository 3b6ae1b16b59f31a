/** The ticket model: responses, events and resulting states of each operation. Written from the contract. */
import type { Ask } from "#kernel/testing/world.ts";

export type Role = "agent" | "change_manager" | "owner" | "viewer" | "member" | "requester";
export interface Person {
  readonly role: Role;
  readonly ask: Ask;
  readonly id: string;
}

export interface Ticket {
  readonly kind: "incidents" | "changes" | "problems";
  readonly id: string;
  readonly createdBy: string;
  /** For an incident: its creator and its caller. */
  readonly askerIds: readonly string[];
  /** The predicted fields. */
  fields: Record<string, unknown> & { state: string };
  isMerged?: boolean;
  /** Whether it was new before its merge. */
  wasNew?: boolean;
  /** The voters since the last submission. */
  voters: Set<string>;
}

export interface Prediction {
  readonly status: number;
  readonly events?: readonly string[];
  readonly fields?: Record<string, unknown>;
}

export const WORKERS: readonly Role[] = ["agent", "change_manager", "owner"];
const APPROVERS: readonly Role[] = ["change_manager", "owner"];
/** Roles that see only their own incidents. */
export const ASKERS: readonly Role[] = ["member", "requester"];
/** The incident fields hidden from these roles, with the values that they get. */
export const HIDDEN = { teamId: null, resolutionCode: null, tags: [], fields: {} };
export const SEVERITIES = ["low", "medium", "high", "critical"];

/** The allowed states and the target state by action. */
export const TRANSITIONS: Readonly<
  Record<Ticket["kind"], Readonly<Record<string, readonly [string, string]>>>
> = {
  incidents: {
    resolve: ["new in_progress on_hold", "resolved"],
    close: ["resolved", "closed"],
    reopen: ["resolved closed", "in_progress"],
    cancel: ["new in_progress on_hold", "cancelled"],
  },
  changes: {
    submit: ["draft", "submitted"],
    approve: ["submitted", "approved"],
    reject: ["submitted", "rejected"],
    revise: ["rejected", "draft"],
    implement: ["approved", "implementing"],
    complete: ["implementing", "completed"],
    rollback: ["implementing completed", "rolled_back"],
    cancel: ["draft submitted approved rejected", "cancelled"],
  },
  problems: {
    investigate: ["open", "investigating"],
    declare_known_error: ["open investigating", "known_error"],
    resolve: ["open investigating known_error", "resolved"],
    close: ["resolved", "closed"],
    reopen: ["resolved closed", "investigating"],
  },
};

export const EVENTS: Readonly<Record<string, string>> = {
  "incidents.resolve": "incident.resolved",
  "incidents.close": "incident.closed",
  "incidents.reopen": "incident.reopened",
  "incidents.cancel": "incident.cancelled",
  "changes.submit": "change.submitted",
  "changes.reject": "change.rejected",
  "changes.revise": "change.revised",
  "changes.implement": "change.implementation_started",
  "changes.complete": "change.completed",
  "changes.rollback": "change.rolled_back",
  "changes.cancel": "change.cancelled",
  "problems.investigate": "problem.investigation_started",
  "problems.declare_known_error": "problem.known_error_declared",
  "problems.resolve": "problem.resolved",
  "problems.close": "problem.closed",
  "problems.reopen": "problem.reopened",
};

/** The required bodies of actions. */
export const BODIES: Readonly<Record<string, object>> = {
  "incidents.resolve": { resolution: "Done", resolutionCode: "workaround" },
  "changes.reject": { reason: "Not now" },
  "changes.rollback": { notes: "It was slower" },
  "problems.declare_known_error": { rootCause: "A leak", workaround: "Restart it" },
  "problems.resolve": { resolution: "Mended" },
};

export function predictAction(ticket: Ticket, action: string, by: Person): Prediction {
  const votes = action === "approve" || action === "reject";
  // Requesters can confirm, reopen and cancel their incident. Others cannot see it without read permission.
  const isAskers = ticket.kind === "incidents" && ["close", "reopen", "cancel"].includes(action);
  const isOwn = isAskers && ticket.askerIds.includes(by.id);
  if (isAskers && !isOwn && ASKERS.includes(by.role)) return { status: 404 };
  if (!isOwn && !(votes ? APPROVERS : WORKERS).includes(by.role)) return { status: 403 };
  if (votes && by.id === ticket.createdBy) return { status: 403 };
  const [from = "", to = ""] = TRANSITIONS[ticket.kind][action] ?? [];
  if (!from.split(" ").includes(ticket.fields.state)) return { status: 409 };
  if (votes && ticket.voters.has(by.id)) return { status: 409 };
  if (action === "approve") {
    const approvalsGiven = Number(ticket.fields["approvalsGiven"]) + 1;
    const isEnough = approvalsGiven >= Number(ticket.fields["approvalsRequired"]);
    return {
      status: 200,
      events: ["change.approval_given", ...(isEnough ? ["change.approved"] : [])],
      fields: { approvalsGiven, ...(isEnough && { state: to }) },
    };
  }
  return {
    status: 200,
    events: [EVENTS[`${ticket.kind}.${action}`] ?? ""],
    fields: { state: to, ...fieldsChangedBy(ticket, action) },
  };
}

/** The fields that change with the state. */
function fieldsChangedBy(ticket: Ticket, action: string): Record<string, unknown> {
  switch (`${ticket.kind}.${action}`) {
    case "incidents.resolve":
      return { resolution: "Done", resolutionCode: "workaround", onHoldReason: null };
    case "incidents.reopen":
      return {
        resolution: null,
        resolutionCode: null,
        satisfaction: null,
        reopenCount: Number(ticket.fields["reopenCount"]) + 1,
      };
    case "incidents.close":
    case "incidents.cancel":
      return { onHoldReason: null };
    case "changes.submit":
      return { approvalsGiven: 0, rejectionReason: null };
    case "changes.reject":
      return { rejectionReason: "Not now" };
    case "changes.rollback":
      return { rollbackNotes: "It was slower" };
    case "problems.declare_known_error":
      return { rootCause: "A leak", workaround: "Restart it" };
    case "problems.resolve":
      return { resolution: "Mended" };
    case "problems.reopen":
      return { resolution: null };
    default:
      return {};
  }
}

export function predictPatch(
  ticket: Ticket,
  body: Record<string, unknown>,
  by: Person,
): Prediction {
  if (!WORKERS.includes(by.role)) return { status: 403 };
  const before = ticket.fields;
  const { state = before.state, ...input } = body as { state?: string };
  const from = `${before.state} ${state}`;
  const patchTransitions = [
    "new in_progress",
    "on_hold in_progress",
    "new on_hold",
    "in_progress on_hold",
  ];
  const action = Object.entries(TRANSITIONS.incidents).find(
    ([, [sources, to]]) => to === state && sources.split(" ").includes(before.state),
  )?.[0];
  const isSameState = state === before.state;
  if (!isSameState && !patchTransitions.includes(from) && action === undefined)
    return { status: 409 };
  if (!isSameState && action === "resolve") return { status: 422 };
  const after: Record<string, unknown> = {
    ...before,
    ...(isSameState || patchTransitions.includes(from)
      ? {}
      : fieldsChangedBy(ticket, action ?? "")),
    ...input,
    state,
  };
  after["priority"] = Number(after["impact"]) + Number(after["urgency"]) - 1;
  after["fields"] = { ...(before["fields"] as object), ...(body["fields"] as object) };
  after["tags"] = [
    ...new Set((after["tags"] as string[]).map((tag) => tag.toLowerCase())),
  ].toSorted();
  const isChanged = Object.keys(after).some(
    (field) => JSON.stringify(after[field]) !== JSON.stringify(before[field]),
  );
  if (!isChanged) return { status: 200, events: [] };
  const isWorse =
    SEVERITIES.indexOf(String(after["severity"])) > SEVERITIES.indexOf(String(before["severity"]));
  const [oldTeam, newTeam] = [before["teamId"], after["teamId"]];
  const isRerouted = oldTeam !== null && newTeam !== null && oldTeam !== newTeam;
  const isAssigned = after["assigneeId"] !== null && after["assigneeId"] !== before["assigneeId"];
  const transitionEvent = isSameState ? undefined : EVENTS[`incidents.${action ?? ""}`];
  return {
    status: 200,
    events: [
      "incident.updated",
      ...(isAssigned ? ["incident.assigned"] : []),
      ...(isWorse || isRerouted ? ["incident.escalated"] : []),
      ...(transitionEvent && !patchTransitions.includes(from) ? [transitionEvent] : []),
    ],
    fields: after,
  };
}

export function predictEscalation(
  ticket: Ticket,
  body: Record<string, string>,
  by: Person,
): Prediction {
  if (!WORKERS.includes(by.role)) return { status: 403 };
  if (!["new", "in_progress", "on_hold"].includes(ticket.fields.state)) return { status: 409 };
  const before = ticket.fields;
  const { severity = before["severity"], teamId = before["teamId"] } = body;
  const rank = (value: unknown): number => SEVERITIES.indexOf(String(value));
  const lower = rank(severity) < rank(before["severity"]);
  const same = severity === before["severity"] && teamId === before["teamId"];
  if (lower || same) return { status: 422 };
  return { status: 200, events: ["incident.escalated"], fields: { severity, teamId } };
}

/** A ticket as visible to a member. */
export function predictRead({ kind, askerIds }: Ticket, by: Person): Prediction {
  if (!ASKERS.includes(by.role)) return { status: 200 };
  if (kind !== "incidents") return { status: 403 };
  return { status: askerIds.includes(by.id) ? 200 : 404 };
}

/** The caller can rate a resolved ticket. A repeated rating emits nothing. */
export function predictRating(ticket: Ticket, satisfaction: number, by: Person): Prediction {
  const { status } = predictRead(ticket, by);
  if (status !== 200) return { status };
  if (ticket.fields["callerId"] !== by.id) return { status: 403 };
  if (!["resolved", "closed"].includes(ticket.fields.state)) return { status: 409 };
  const isSame = ticket.fields["satisfaction"] === satisfaction;
  return { status: 200, events: isSame ? [] : ["incident.rated"], fields: { satisfaction } };
}

const OPEN_STATES = ["new", "in_progress", "on_hold"];

export function predictMerge(source: Ticket, target: Ticket, by: Person): Prediction {
  if (!WORKERS.includes(by.role)) return { status: 403 };
  if (source === target) return { status: 422 };
  const isOpen = [source, target].every(({ fields: { state } }) => OPEN_STATES.includes(state));
  if (!isOpen) return { status: 409 };
  source.isMerged = true;
  source.wasNew = source.fields.state === "new";
  const fields = { state: "cancelled", onHoldReason: null };
  return { status: 200, events: ["incident.merged", "incident.duplicate_added"], fields };
}

export function predictUnmerge(ticket: Ticket, by: Person): Prediction {
  if (!WORKERS.includes(by.role)) return { status: 403 };
  if (!ticket.isMerged) return { status: 409 };
  ticket.isMerged = false;
  const events = ["incident.unmerged", "incident.duplicate_removed"];
  const state = ticket.wasNew ? "new" : "in_progress";
  return { status: 200, events, fields: { state } };
}

export const DEFAULT_FIELDS: Readonly<Record<Ticket["kind"], Record<string, unknown>>> = {
  incidents: {
    state: "new",
    teamId: null,
    resolution: null,
    resolutionCode: null,
    reopenCount: 0,
    satisfaction: null,
    tags: [],
    fields: {},
  },
  changes: { state: "draft", approvalsGiven: 0, type: "normal" },
  problems: { state: "open", rootCause: null, workaround: null, resolution: null },
};
