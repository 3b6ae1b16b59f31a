/** What one moment of a ticket tells, as clauses that follow the name of who did it. */
import { toWords } from "../../ui/words.ts";
import type { Moment } from "../ticket-kind.ts";

const QUIET = new Set(["updatedAt", "revision", "resolvedAt", "resolvedBy", "closedAt", "output"]);
const LEVELS = ["", "high", "medium", "low"];

export function toClauses(
  { type, changes, data, actor }: Moment,
  verb: string,
  nameOf: (id: string) => string | undefined,
): readonly string[] {
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
      .map((one) =>
        one.field === "assigneeId" && one.to === actor.id ? "took it" : toChangeClause(one, show),
      );
  }
  const number = (name: string): string => {
    const one = data[name];
    return typeof one === "string" ? one : "a ticket";
  };
  const reason = toRemark(data["reason"]);
  const own = toRequestClause(verb, data);
  if (own !== undefined) return [own];
  switch (verb) {
    case "created":
      return ["raised it"];
    case "assigned":
      return [data["assigneeId"] === actor.id ? "took it" : toAssignClause(data, show)];
    case "watcher_added":
    case "watcher_removed":
      return [];
    case "sla_breached":
    case "breached":
      return [`${lower(data["metric"])} SLA breached`];
    case "sla_warning":
    case "warning":
      return [`${lower(data["metric"])} SLA at risk`];
    case "investigation_started":
      return ["began to investigate"];
    case "known_error_declared":
      return ["declared a known error"];
    case "incident_linked":
      return [`linked ${numberIn(data["incident"])}`];
    case "incident_unlinked":
      return [`unlinked ${numberIn(data["incident"])}`];
    case "linked":
      return [`linked ${number("number")}`];
    case "major_declared":
      return [`declared a major incident${reason}`];
    case "merged":
      return [`merged it with ${number("number")}`];
    default:
      return [
        `${toWords(verb).toLowerCase()} it${reason}`.replace(/^(.*) it$/, verbIt(type, verb)),
      ];
  }
}

/** What happened to a request, or to a task of any ticket. */
function toRequestClause(
  verb: string,
  data: Readonly<Record<string, unknown>>,
): string | undefined {
  switch (verb) {
    case "approval_requested":
      return "asked for approval";
    case "approved":
      return `approved it${toRemark(lastComment(data))}`;
    case "fulfilment_started":
      return "started fulfilment";
    case "step_decided": {
      const question = data["message"];
      const step = typeof question === "string" ? `“${question}”` : "a step of its workflow";
      const done = data["approved"] === true ? "approved" : "rejected";
      return `${done} ${step}${toRemark(data["comment"])}`;
    }
    case "task_added":
    case "task_completed":
    case "task_skipped":
    case "task_reopened":
    case "task_removed":
      return `${verb.replace("task_", "")} the task ${toTitle(data["title"])}`;
    default:
      return undefined;
  }
}

const toRemark = (text: unknown): string =>
  typeof text === "string" && text !== "" ? `: ${text}` : "";

const toTitle = (title: unknown): string => (typeof title === "string" ? `“${title}”` : "");

/** The comment of the decision that an event of an approval is about. */
function lastComment(data: Readonly<Record<string, unknown>>): unknown {
  const { decisions } = (data["approval"] ?? {}) as {
    readonly decisions?: readonly { readonly comment?: unknown }[];
  };
  return decisions?.at(-1)?.comment;
}

/** The number of a ticket that an event names. */
function numberIn(ticket: unknown): string {
  const { number } = (ticket ?? {}) as { readonly number?: unknown };
  return typeof number === "string" ? number : "an incident";
}

const lower = (value: unknown): string =>
  typeof value === "string" ? value.replaceAll("_", " ") : "a";

function verbIt(type: string, verb: string): string {
  return type.startsWith("sla.") ? toWords(verb).toLowerCase() : "$1 it";
}

function toAssignClause(
  data: Readonly<Record<string, unknown>>,
  show: (field: string, value: unknown) => string,
): string {
  if (typeof data["assigneeId"] === "string")
    return `gave it to ${show("assigneeId", data["assigneeId"])}`;
  return `gave it to the team ${show("teamId", data["teamId"])}`;
}

/** Texts of a problem, which stand on its page and are too long for a line. */
const WRITTEN: Readonly<Record<string, string>> = {
  rootCause: "the cause",
  workaround: "the workaround",
};

function toChangeClause(
  { field, from, to }: Moment["changes"][number],
  show: (field: string, value: unknown) => string,
): string {
  if (field === "assigneeId") return to === null ? "gave it back" : `gave it to ${show(field, to)}`;
  if (field === "teamId") return `moved it to ${show(field, to)}`;
  if (field === "state") return `set it to ${show(field, to)}`;
  if (field === "onHoldReason") return to === null ? "" : `waiting for: ${String(to as string)}`;
  if (field === "description") return "rewrote the description";
  if (field === "approval") return `approved it${toRemark(lastComment({ approval: to }))}`;
  const text = WRITTEN[field];
  if (text !== undefined) return `${to === null || to === "" ? "took back" : "wrote down"} ${text}`;
  if (field === "title") return `named it ${show(field, to)}`;
  if (field === "ciIds") return "changed what is affected";
  if (field === "tags") return `set tags to ${show(field, to)}`;
  const name = toWords(field.replace(/Ids?$/, "").replaceAll(/([A-Z])/g, " $1")).toLowerCase();
  return `changed ${name} from ${show(field, from)} to ${show(field, to)}`;
}
