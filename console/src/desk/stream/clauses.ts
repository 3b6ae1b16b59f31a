/** Describes ticket events by type. */
import { describeStarted } from "../../changes/index.ts";
import { splitWords, toWords } from "../../ui/words.ts";
import type { Moment } from "../ticket-kind.ts";

type Data = Readonly<Record<string, unknown>>;
type ShowValue = (field: string, value: unknown) => string;

interface Told {
  readonly data: Data;
  readonly actorId: string;
  readonly show: ShowValue;
}

type Clause = string | ((told: Told) => string);

const textIn = (data: Data, name: string): string | undefined => {
  const value = data[name];
  return typeof value === "string" && value !== "" ? value : undefined;
};

/** Returns the number of a ticket in an event, or the given text if the reader can't see that ticket. */
const numberIn = (data: Data, name: string, other: string): string =>
  textIn((data[name] ?? {}) as Data, "number") ?? other;

const because = ({ data }: Told): string => {
  const reason = textIn(data, "reason");
  return reason === undefined ? "" : `: ${reason}`;
};

const taskOf = ({ data }: Told): string => {
  const title = textIn(data, "title");
  return title === undefined ? "a task" : `the task “${title}”`;
};

const metricOf = ({ data }: Told): string => toWords(textIn(data, "metric") ?? "").toLowerCase();

const decisionsIn = (approval: unknown): readonly Data[] =>
  ((approval ?? {}) as { readonly decisions?: readonly Data[] }).decisions ?? [];

const commentOf = (decision: Data = {}): string => {
  const comment = textIn(decision, "comment");
  return comment === undefined ? "" : `: ${comment}`;
};

const lastComment = ({ data }: Told): string => commentOf(decisionsIn(data["approval"]).at(-1));

/** Describes the start of an approval, or a decision that starts the next step. */
const stepOfApproval = (told: Told): string =>
  decisionsIn(told.data["approval"]).length === 0
    ? "requested approval"
    : `approved a step${lastComment(told)}`;

/** Describes one of several decisions, or a change of the approvers. */
const changeOfApproval = (from: unknown, to: unknown): string => {
  const [before, after] = [decisionsIn(from), decisionsIn(to)];
  return after.length > before.length
    ? `approved it${commentOf(after.at(-1))}`
    : "changed the approvers";
};

const QUIET = new Set(["updatedAt", "revision", "resolvedAt", "resolvedBy", "closedAt", "output"]);
const LEVELS = ["", "high", "medium", "low"];

/** Describes the events of one moment, as clauses after the actor's name. */
export function toClauses(
  moment: Moment,
  verb: string,
  nameOf: (id: string) => string | undefined,
): readonly string[] {
  const { changes, actor } = moment;
  const show = (field: string, value: unknown): string => {
    if (value === null || value === undefined || value === "") return "nothing";
    if (field === "impact" || field === "urgency") return LEVELS[Number(value)] ?? "";
    if (field === "priority") return `P${Number(value)}`;
    if (Array.isArray(value)) return value.map((one) => show(field, one)).join(", ") || "nothing";
    const text =
      typeof value === "object" ? JSON.stringify(value) : String(value as string | number);
    if (/Ids?$/.test(field)) return nameOf(text) ?? "somebody";
    return /state|severity|category/.test(field) ? toWords(text) : `“${text}”`;
  };
  if (verb === "updated" || changes.length > 0) {
    return changes
      .filter(({ field }) => !QUIET.has(field))
      .map((one) => toChangeClause(one, { actorId: actor.id, show }));
  }
  const clause = toClause(verb, moment, show);
  return clause === undefined ? [] : [clause];
}

/** Events that are not shown in a ticket's activity. */
const SILENT: ReadonlySet<string> = new Set(["watcher_added", "watcher_removed", "task_ready"]);

/** Text shown after the actor's name, by event verb. */
const CLAUSES: Readonly<Record<string, Clause>> = {
  created: "created the ticket",
  assigned: ({ data, actorId, show }) => {
    const { assigneeId } = data;
    if (assigneeId === actorId) return "assigned the ticket to themselves";
    return typeof assigneeId === "string"
      ? `assigned it to ${show("assigneeId", assigneeId)}`
      : `assigned it to the team ${show("teamId", data["teamId"])}`;
  },
  routed: ({ data, show }) =>
    typeof data["assigneeId"] === "string"
      ? `assigned it to ${show("assigneeId", data["assigneeId"])} by a rule`
      : `assigned it to ${show("teamId", data["teamId"])} by a rule`,
  escalated: (told) => `escalated the ticket${because(told)}`,
  resolved: "resolved the ticket",
  closed: "closed the ticket",
  reopened: (told) => `reopened the ticket${because(told)}`,
  resumed: "resumed work after the hold",
  cancelled: (told) => `cancelled the ticket${because(told)}`,
  rated: "rated the ticket",
  merged: ({ data }) => `merged this ticket into ${numberIn(data, "into", "another ticket")}`,
  unmerged: ({ data }) => `undid the merge into ${numberIn(data, "from", "another ticket")}`,
  duplicate_added: ({ data }) =>
    `merged ${numberIn(data, "duplicate", "another ticket")} into this ticket`,
  duplicate_removed: ({ data }) =>
    `undid the merge of ${numberIn(data, "duplicate", "another ticket")} into this ticket`,
  split: "split the ticket",
  linked: "linked another ticket",
  unlinked: "removed the link to a ticket",
  incident_linked: ({ data }) => `linked ${numberIn(data, "incident", "an incident")}`,
  incident_unlinked: ({ data }) => `unlinked ${numberIn(data, "incident", "an incident")}`,
  child_linked: ({ data }) => `added ${numberIn(data, "child", "an incident")} as a child`,
  child_unlinked: ({ data }) => `removed the child ${numberIn(data, "child", "an incident")}`,
  attachment_removed: ({ data }) => `removed the file ${textIn(data, "name") ?? ""}`.trim(),
  major_declared: (told) => `declared a major incident${because(told)}`,
  major_ended: "ended the major incident",
  broadcast: ({ data }) => {
    const message = textIn(data, "message");
    return `sent a message to the people affected${message === undefined ? "" : `: ${message}`}`;
  },
  review_added: "added a review",
  time_added: "added time spent",
  time_removed: "removed time spent",
  investigation_started: "started to investigate",
  known_error_declared: "declared a known error",
  submitted: "submitted the ticket",
  approval_requested: stepOfApproval,
  approval_reminded: "reminded the approvers",
  approval_recorded: "recorded a decision",
  approval_given: "approved the change",
  approvers_removed: "removed approvers",
  affected_reported: "reported being affected",
  role_assigned: ({ data, show }) => {
    const role = toWords(textIn(data, "role") ?? "role").toLowerCase();
    const userId = textIn(data, "userId");
    return userId === undefined
      ? `removed the ${role}`
      : `assigned ${show("userId", userId)} as ${role}`;
  },
  approved: (told) => `approved it${lastComment(told)}`,
  step_decided: ({ data }) => {
    const step = textIn(data, "message");
    const comment = textIn(data, "comment");
    const done = data["approved"] === true ? "approved" : "rejected";
    const what = step === undefined ? "a step of its workflow" : `“${step}”`;
    return `${done} ${what}${comment === undefined ? "" : `: ${comment}`}`;
  },
  rejected: (told) => `rejected it${because(told)}`,
  delegated: "delegated an approval",
  revised: "returned it to draft",
  rescheduled: "changed the planned time",
  implementation_started: ({ data }) => describeStarted(data),
  fulfilment_started: "started the fulfilment",
  completed: "completed the ticket",
  rolled_back: (told) => `rolled the change back${because(told)}`,
  fulfilled: "fulfilled the request",
  failed: (told) => `reported that the fulfilment failed${because(told)}`,
  retried: "retried the fulfilment",
  task_added: (told) => `added ${taskOf(told)}`,
  task_updated: (told) => `changed ${taskOf(told)}`,
  task_completed: (told) => `completed ${taskOf(told)}`,
  task_skipped: (told) => `skipped ${taskOf(told)}`,
  task_reopened: (told) => `reopened ${taskOf(told)}`,
  task_removed: (told) => `removed ${taskOf(told)}`,
  tasks_reordered: "changed the order of the tasks",
  sla_breached: (told) => `recorded that the ${metricOf(told)} target of the SLA was missed`,
  breached: (told) => `recorded that the ${metricOf(told)} target of the SLA was missed`,
  sla_warning: (told) => `recorded that the ${metricOf(told)} target of the SLA is at risk`,
  warning: (told) => `recorded that the ${metricOf(told)} target of the SLA is at risk`,
};

/** Returns the clause of an event after the actor's name; undefined if it is not shown. */
function toClause(
  verb: string,
  { data, actor }: Pick<Moment, "data" | "actor">,
  show: ShowValue,
): string | undefined {
  if (SILENT.has(verb)) return undefined;
  const told = { data, actorId: actor.id, show };
  const clause = CLAUSES[verb];
  if (clause !== undefined) return typeof clause === "string" ? clause : clause(told);
  return `recorded: ${toWords(verb).toLowerCase()}${because(told)}`;
}

/** Fields whose texts are too long for one line. */
const LONG: Readonly<Record<string, string>> = {
  description: "the description",
  rootCause: "the cause",
  workaround: "the workaround",
  justification: "the justification",
  implementationPlan: "the implementation plan",
  testPlan: "the test plan",
  rollbackPlan: "the rollback plan",
  ciIds: "the affected items",
};

/** Returns the clause of a changed field after the actor's name; empty if it is not shown. */
function toChangeClause(
  { field, from, to }: Moment["changes"][number],
  { actorId, show }: { readonly actorId: string; readonly show: ShowValue },
): string {
  const isEmpty = to === null || to === undefined || to === "";
  if (field === "assigneeId") {
    if (isEmpty) return "removed the assignee";
    return to === actorId
      ? "assigned the ticket to themselves"
      : `assigned it to ${show(field, to)}`;
  }
  if (field === "teamId") {
    if (isEmpty) return "removed the team";
    const isMoved = typeof from === "string" && from !== "";
    return isMoved
      ? `moved it to ${show(field, to)}`
      : `assigned it to the team ${show(field, to)}`;
  }
  if (field === "state") return `set the state to ${show(field, to)}`;
  if (field === "onHoldReason") return isEmpty ? "" : `put it on hold: ${String(to as string)}`;
  if (field === "title") return `changed the title to ${show(field, to)}`;
  if (field === "tags") {
    return isEmpty || show(field, to) === "nothing"
      ? "removed all tags"
      : `set the tags to ${show(field, to)}`;
  }
  if (field === "approval" && typeof to === "object") return changeOfApproval(from, to);
  const long = LONG[field];
  if (long !== undefined) return `${isEmpty ? "removed" : "changed"} ${long}`;
  const name = splitWords(field.replace(/(?<=.)Ids?$/, "")).toLowerCase();
  // Objects and lists are not shown as text.
  if ([from, to].some((value) => typeof value === "object" && value !== null)) {
    return `changed the ${name}`;
  }
  if (isEmpty) return `removed the ${name}`;
  const before = show(field, from);
  return before === "nothing"
    ? `set the ${name} to ${show(field, to)}`
    : `changed the ${name} from ${before} to ${show(field, to)}`;
}
