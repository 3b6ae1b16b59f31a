/**
 * Notifies the requester, assignee and watchers about changes by others. Requesters don't need read permission
 * but never receive internal changes.
 */
import { readPrincipals } from "#domains/identity/accounts/index.ts";
import { NotificationSent } from "#domains/notifications/index.ts";
import type { Principal } from "#kernel/access/caller.ts";
import type { ReaderContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { CAUSATION_DEPTH_MAX, type RecordedEvent } from "#kernel/log/event.ts";
import {
  applyFilter,
  eventFiltersFor,
  type EventFilter,
  visibilityContext,
} from "#kernel/log/event-visibility.ts";
import { reader } from "#kernel/readers/reader.ts";
import { findTeamMemberIds } from "../check-references.ts";
import { TICKET_KINDS, type TicketIdentity } from "../kind.ts";
import { notifyOfTicket } from "./ticket-notification.ts";
import { findTicketIdentities, ticketKinds } from "../ticket.ts";
import { toDuplicateEvents } from "./duplicate-events.ts";

interface Message {
  /** Follows the ticket number. */
  readonly title: string;
  /** The event field with details. */
  readonly field?: string;
  /** Only for agents. */
  readonly internal?: true;
  /** True if the assignee is notified separately. */
  readonly exceptAssignee?: true;
}

/** Messages by event verb. */
const MESSAGES: Readonly<Record<string, Message>> = {
  created: { title: "was created for you", field: "description", exceptAssignee: true },
  comment_added: { title: "has a new comment", field: "body" },
  escalated: { title: "was escalated", internal: true },
  resolved: { title: "was resolved", field: "resolution" },
  closed: { title: "was closed" },
  reopened: { title: "was reopened", field: "reason" },
  resumed: { title: "returned from hold", internal: true },
  cancelled: { title: "was cancelled", field: "reason" },
  merged: { title: "was merged into another ticket about the same problem" },
  unmerged: { title: "was separated from another ticket" },
  approved: { title: "was approved" },
  rejected: { title: "was rejected", field: "reason" },
  completed: { title: "was completed" },
  rolled_back: { title: "was rolled back" },
  known_error_declared: { title: "is now a known error", field: "workaround" },
  fulfilled: { title: "was fulfilled", field: "notes" },
  failed: { title: "could not be fulfilled" },
  sla_breached: { title: "missed its SLA target", internal: true, exceptAssignee: true },
};

/** The message of an assignment. */
const ASSIGNED: Message = { title: "was assigned to you", field: "priority" };

/** The messages of task assignments. */
const TASK_MESSAGES: Readonly<Record<string, Message>> = {
  task_added: { title: "has a task for you", field: "title" },
  task_updated: { title: "has a task for you", field: "title" },
  task_ready: { title: "has a task that can start", field: "title" },
};

const NOTIFIED_EVENT_TYPES = TICKET_KINDS.flatMap((kind) =>
  // Updates that assign an incident have their own event.
  [
    ...Object.keys(MESSAGES),
    kind === "incident" ? "assigned" : "updated",
    ...(kind === "change" || kind === "request" ? Object.keys(TASK_MESSAGES) : []),
  ].map((verb) => `${kind}.${verb}`),
);

export const ticketNotificationReader = reader({
  name: "desk.tell_watchers",
  on: NOTIFIED_EVENT_TYPES,
  startsAt: "end",
  emits: [NotificationSent],
  async handle(ctx, events) {
    const shallow = events.filter(
      (event) =>
        event.depth < CAUSATION_DEPTH_MAX &&
        (verbOf(event) in MESSAGES || findAssignee(event) || findTeam(event)),
    );
    if (shallow.length === 0) return;
    const watchers = await findWatchers(ctx.tx, shallow);
    const tickets = await findTickets(ctx, shallow);
    const workers = [...watchers.values()].flat();
    const assignees = [...tickets.values()].flatMap(({ assigneeId }) => assigneeId ?? []);
    // Filtered, because watchers may have lost access to the ticket or its internal comments.
    const filters = await eventFiltersFor(visibilityContext(ctx), shallow);
    const person = await readPrincipals(ctx, [...new Set([...workers, ...assignees])]);
    for (const event of shallow) {
      const ticket = tickets.get(event.resource.id);
      if (!ticket) continue;
      const watching = watchers.get(ticket.id) ?? [];
      const team = findTeam(event);
      const audience =
        team === undefined
          ? selectAudience(event, ticket, { watching, filters, person })
          : await findTeamMemberIds(ctx.tx, team);
      const mentioned = mentionedIn(event);
      const others = audience.filter((id) => !mentioned.includes(id));
      await notifyOfTicket(ctx.because(event), event, { ...messageFor(event), userIds: others });
      await notifyOfDuplicates(ctx, event, ticket);
      if (mentioned.length === 0) continue;
      const message = { ...messageFor(event), title: "mentions you", userIds: mentioned };
      await notifyOfTicket(ctx.because(event), event, message);
    }
  },
});

/** Notifies callers of duplicates that the target incident is resolved, with reference to their own ticket. */
async function notifyOfDuplicates(
  ctx: ReaderContext<typeof NotificationSent>,
  event: RecordedEvent,
  survivor: TicketIdentity,
): Promise<void> {
  for (const { event: copy, ticket } of await toDuplicateEvents(ctx, event)) {
    const askers = askersOf(survivor);
    const userIds = askersOf(ticket).filter((id) => !askers.includes(id));
    await notifyOfTicket(ctx.because(event), copy, { ...messageFor(copy), userIds });
  }
}

interface Audience {
  readonly watching: readonly string[];
  readonly filters: ReadonlyMap<string, EventFilter>;
  readonly person: (userId: string) => Principal;
}

/** The people to notify of an event. */
function selectAudience(
  event: RecordedEvent,
  ticket: TicketIdentity,
  { watching, filters, person }: Audience,
): readonly string[] {
  const verb = verbOf(event);
  if (!(verb in MESSAGES)) return [findAssignee(event) ?? ""];
  const { internal, exceptAssignee } = MESSAGES[verb] ?? {};
  const { assigneeId } = ticket;
  const working = exceptAssignee || assigneeId === null ? [] : [assigneeId];
  const viewers = [...(verb === "created" ? [] : watching), ...working].filter((id) =>
    applyFilter(filters, event, person(id)),
  );
  const isInternal = internal || (verb === "comment_added" && event.data["internal"] !== false);
  return [...(isInternal ? [] : askersOf(ticket)), ...viewers];
}

/** The members mentioned in a comment. They can read it, and are notified of the mention only. */
function mentionedIn({ data }: RecordedEvent): readonly string[] {
  const { mentions } = data as { readonly mentions?: readonly string[] };
  return mentions ?? [];
}

/** Returns the recipient and creator of a request, or the caller of an incident (by default the creator). */
function askersOf({ callerId, requestedFor, createdBy }: TicketIdentity): readonly string[] {
  if (requestedFor !== undefined) return [requestedFor, createdBy];
  return [callerId ?? createdBy];
}

function messageFor(event: RecordedEvent) {
  const { title, field } = MESSAGES[verbOf(event)] ?? TASK_MESSAGES[verbOf(event)] ?? ASSIGNED;
  const more = field === undefined ? undefined : event.data[field];
  if (typeof more === "number") return { title, more: `Priority ${more}` };
  return { title, more: typeof more === "string" ? more : "" };
}

/** Finds the new assignee in an event. */
function findAssignee(event: RecordedEvent): string | undefined {
  const { changes, after } = event.data as { changes?: unknown; after?: { assigneeId?: unknown } };
  const isGiven =
    ["assigned", "task_added", "task_ready"].includes(verbOf(event)) ||
    (Array.isArray(changes) && changes.includes("assigneeId"));
  const assigneeId = after?.assigneeId ?? event.data["assigneeId"];
  return isGiven && typeof assigneeId === "string" ? assigneeId : undefined;
}

/** Finds the team that can start an unassigned task. */
function findTeam(event: RecordedEvent): string | undefined {
  const { teamId, assigneeId } = event.data;
  const isTeams = verbOf(event) === "task_ready" && assigneeId === null;
  return isTeams && typeof teamId === "string" ? teamId : undefined;
}

function verbOf({ type }: RecordedEvent): string {
  return type.slice(type.indexOf(".") + 1);
}

async function findTickets(
  { tx, services }: ReaderContext<typeof NotificationSent>,
  events: readonly RecordedEvent[],
): Promise<ReadonlyMap<string, TicketIdentity>> {
  const found = await Promise.all(
    ticketKinds(services).map(async (kind) => {
      const own = events.filter(({ resource }) => resource.type === kind.kind);
      const ids = [...new Set(own.map(({ resource }) => resource.id))];
      return ids.length === 0 ? [] : findTicketIdentities(tx, kind, ids);
    }),
  );
  return new Map(found.flat().map((ticket) => [ticket.id, ticket]));
}

async function findWatchers(
  tx: Tx,
  events: readonly RecordedEvent[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const ids = [...new Set(events.map(({ resource }) => resource.id))];
  const rows = await tx
    .selectFrom("ticket_watchers")
    .select(["ticket_id", "user_id"])
    .where("ticket_id", "in", ids)
    .orderBy("user_id")
    .execute();
  const byTicket = Map.groupBy(rows, ({ ticket_id }) => ticket_id);
  return new Map([...byTicket].map(([id, own]) => [id, own.map(({ user_id }) => user_id)]));
}
