/**
 * Work that waits for the current user: pages, workflow approvals, approvals of changes and requests, assigned
 * tickets.
 */
import { type Input, type OperationId, type Reply, useOp } from "../api.ts";
import { useMay, useMe } from "../people.ts";
import { joinWaiting, type WaitingEntry } from "./waiting-entry.ts";

const READ_MAX = 50;
const APPROVALS = ["approvals", "agentCalls", "changeApprovals", "requestApprovals"];

const OPEN_STATES = {
  changes: ["draft", "submitted", "approved", "implementing"],
  problems: ["open", "investigating", "known_error"],
  requests: ["submitted", "awaiting_approval", "approved", "fulfilling"],
} as const;

/** Pages first, then approvals, because other people wait for them; then tickets by priority. */
export function useWaiting() {
  const userId = useMe()?.user.id;
  const mayDecide = useMay()("home.waiting");
  const waiting = useOp("home.waiting", undefined, { enabled: mayDecide });
  const { total = 0, counts = {} } = waiting.data?.data ?? {};
  /** Loads a list only if its count is not zero. */
  const useList = <O extends OperationId>(kind: string, id: O, query: object) =>
    useOp(id, { query: { limit: READ_MAX, ...query } } as unknown as Input<O>, {
      enabled: userId !== undefined && (counts[kind] ?? 0) > 0,
    });
  const assigned = (kind: keyof typeof OPEN_STATES) => ({
    filter: JSON.stringify({ assigneeId: userId, state: { in: OPEN_STATES[kind] } }),
  });
  const pages = useList("pages", "pages.list", { mine: true, state: "paging" });
  const rotas = useList("brokenSchedules", "on_call.list_problems", {});
  const inbox = useOp(
    "approvals.inbox",
    { query: { limit: READ_MAX } },
    { enabled: APPROVALS.some((kind) => (counts[kind] ?? 0) > 0) },
  );
  const incidents = useList("incidents", "incidents.list", { mine: true, sort: "priority" });
  const changes = useList("changes", "changes.list", assigned("changes"));
  const problems = useList("problems", "problems.list", assigned("problems"));
  const requests = useList("requests", "requests.list", assigned("requests"));
  const tasks = useOp(
    "tasks.list",
    { query: { view: "mine", ready: true, limit: READ_MAX } },
    { enabled: (counts["changeTasks"] ?? 0) + (counts["requestTasks"] ?? 0) > 0 },
  );
  const lists = [
    { kind: "pages", list: pages, entries: pages.data?.data.map(fromPage) },
    { kind: "brokenSchedules", list: rotas, entries: rotas.data?.data.map(fromRota) },
    { kind: "approvals", list: inbox, entries: inbox.data?.data.map(fromInbox) },
    ...(["changeTasks", "requestTasks"] as const).map((kind) => ({
      kind,
      list: tasks,
      entries: tasks.data?.data
        .filter(({ ticket }) => `${ticket.kind}Tasks` === kind)
        .map(fromTask),
    })),
    { kind: "incidents", list: incidents, entries: incidents.data?.data.map(toTicket("Incident")) },
    { kind: "changes", list: changes, entries: changes.data?.data.map(toTicket("Change")) },
    { kind: "problems", list: problems, entries: problems.data?.data.map(toTicket("Problem")) },
    { kind: "requests", list: requests, entries: requests.data?.data.map(toTicket("Request")) },
  ];
  const asked = [waiting, ...lists.map(({ list }) => list)];
  // Disabled queries keep their last data, so the count decides whether to show it.
  const shown = lists.map(({ kind, entries = [] }) => ({
    kind,
    entries: (kind === "approvals" ? APPROVALS : [kind]).some((one) => (counts[one] ?? 0) > 0)
      ? entries
      : [],
  }));
  return {
    ...joinWaiting(
      total,
      shown.map(({ entries }) => entries),
    ),
    /** Pending approvals, for Home and Approvals. */
    decisions: shown.find(({ kind }) => kind === "approvals")?.entries ?? [],
    isLoading: asked.some(({ isLoading }) => isLoading),
    error: asked.find(({ error }) => error)?.error ?? null,
    retry: () => asked.forEach(({ error, refetch }) => error && void refetch()),
  };
}

function fromPage({ id, ticket, updatedAt }: Reply<"pages.list">["data"][number]): WaitingEntry {
  return {
    id,
    kind: "Page",
    text: ticket.title,
    about: `${ticket.number}, waiting for acknowledgement`,
    to: `/tickets/${ticket.number}`,
    search: {},
    at: updatedAt,
  };
}

function fromRota({
  scheduleId,
  name,
  left,
  nextAt,
}: Reply<"on_call.list_problems">["data"][number]): WaitingEntry {
  return {
    id: scheduleId,
    kind: "On call",
    text: `Replace ${left.map((person) => person.name).join(", ")} in ${name}`,
    about: "no longer a member, can't be paged",
    to: "/oncall",
    search: { open: scheduleId },
    at: nextAt ?? new Date().toISOString(),
  };
}

/** Workflow steps and calls of agents are decided in Approvals, tickets on their own pages. */
function fromInbox(one: Reply<"approvals.inbox">["data"][number]): WaitingEntry {
  const { id, number, title, about, path, createdAt } = one;
  const { pathname, searchParams } = new URL(path, location.origin);
  return {
    id: number ?? id,
    kind: "Approve",
    text: title,
    about: about ?? number ?? "",
    to: pathname,
    search: Object.fromEntries(searchParams),
    at: createdAt,
  };
}

function fromTask({
  id,
  title,
  ticket,
  createdAt,
}: Reply<"tasks.list">["data"][number]): WaitingEntry {
  return {
    id,
    kind: "Task",
    text: title,
    about: ticket.number,
    to: `/tickets/${ticket.number}`,
    search: {},
    at: createdAt,
  };
}

interface Ticket {
  readonly number: string;
  readonly title: string;
  readonly state: string;
  readonly createdAt: string;
}

/** Changes have their own page, with plan, risk and window. */
const pathOf = (number: string): string =>
  number.startsWith("CHG") ? `/changes/${number}` : `/tickets/${number}`;

const toTicket =
  (kind: string) =>
  ({ number, title, state, createdAt }: Ticket): WaitingEntry => ({
    id: number,
    kind,
    text: title,
    about: number,
    to: pathOf(number),
    search: {},
    state,
    at: createdAt,
  });
