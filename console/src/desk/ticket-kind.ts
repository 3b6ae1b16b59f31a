/** A common shape for the four ticket kinds: differences between them are defined here. */
import { type Schemas, useOp } from "../data/api.ts";
import type { Kind } from "../data/tickets/ticket-kinds.ts";

export { type Kind, KINDS, kindOf, kindOfPath, ticketPath } from "../data/tickets/ticket-kinds.ts";

/** A ticket of any kind; fields that a kind does not have are null. */
export interface Ticket {
  readonly kind: Kind;
  readonly id: string;
  readonly number: string;
  readonly title: string;
  readonly description: string;
  readonly state: string;
  readonly priority: number | null;
  readonly callerId: string | null;
  readonly assigneeId: string | null;
  readonly teamId: string | null;
  readonly ciIds: readonly string[];
  readonly isMajor: boolean;
  /** The incident that this one was merged into. */
  readonly mergedIntoId: string | null;
  readonly onHoldReason: string | null;
  readonly runId: string | null;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly tags: readonly string[];
  /** The complete API response, for fields that only one kind has. */
  readonly all: Readonly<Record<string, unknown>>;
}

type Any = Readonly<Record<string, unknown>>;

export function toTicket(kind: Kind, data: object): Ticket {
  const all = data as Any;
  const text = (name: string): string => (typeof all[name] === "string" ? all[name] : "");
  const idOf = (name: string): string | null => (all[name] as string | null | undefined) ?? null;
  return {
    kind,
    id: text("id"),
    number: text("number"),
    title: text("title"),
    description: text("description"),
    state: text("state"),
    priority: typeof all["priority"] === "number" ? all["priority"] : null,
    callerId: idOf("callerId") ?? idOf("requestedFor") ?? idOf("requestedBy"),
    assigneeId: idOf("assigneeId"),
    teamId: idOf("teamId"),
    ciIds: (all["ciIds"] as readonly string[] | undefined) ?? [],
    isMajor: all["isMajor"] === true,
    mergedIntoId: idOf("mergedIntoId"),
    onHoldReason: idOf("onHoldReason"),
    runId: idOf("runId"),
    createdBy: text("createdBy"),
    createdAt: text("createdAt"),
    updatedAt: text("updatedAt"),
    tags: (all["tags"] as readonly string[] | undefined) ?? [],
    all,
  };
}

const GET = {
  incident: "incidents.get",
  request: "requests.get",
  problem: "problems.get",
  change: "changes.get",
} as const;

export const getOf = (kind: Kind): (typeof GET)[Kind] => GET[kind];

const TIMELINE = {
  incident: "incidents.get_timeline",
  request: "requests.get_timeline",
  problem: "problems.get_timeline",
  change: "changes.get_timeline",
} as const;

const CLOCKS = {
  incident: "sla.of_incident",
  request: "sla.of_request",
  problem: "sla.of_problem",
  change: "sla.of_change",
} as const;

const WATCHERS = {
  incident: "incidents.list_watchers",
  request: "requests.list_watchers",
  problem: "problems.list_watchers",
  change: "changes.list_watchers",
} as const;

export const WATCH = {
  incident: "incidents.add_watcher",
  request: "requests.add_watcher",
  problem: "problems.add_watcher",
  change: "changes.add_watcher",
} as const;

export const UNWATCH = {
  incident: "incidents.remove_watcher",
  request: "requests.remove_watcher",
  problem: "problems.remove_watcher",
  change: "changes.remove_watcher",
} as const;

export const COMMENT = {
  incident: "incidents.add_comment",
  request: "requests.add_comment",
  problem: "problems.update",
  change: "changes.update",
} as const;

export const UPDATE = {
  incident: "incidents.update",
  request: "requests.update",
  problem: "problems.update",
  change: "changes.update",
} as const;

export const TIMELINE_LIMIT = 100;

export const useTicket = (kind: Kind, id: string) => useOp(GET[kind], { params: { id } });

export const timelineInput = (id: string) => ({
  params: { id },
  query: { limit: TIMELINE_LIMIT },
});

export const timelineOf = (kind: Kind): (typeof TIMELINE)[Kind] => TIMELINE[kind];

export const useTimeline = (kind: Kind, id: string) => useOp(TIMELINE[kind], timelineInput(id));

export const useClocks = (kind: Kind, id: string, enabled: boolean) =>
  useOp(CLOCKS[kind], { params: { id } }, { enabled });

export const useWatchers = (kind: Kind, id: string) =>
  useOp(WATCHERS[kind], { params: { id }, query: { limit: 50 } });

export type Clock = Schemas["SlaClock"];
export type Moment = Schemas["TimelineItem"];
