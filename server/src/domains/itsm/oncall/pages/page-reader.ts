/**
 * Starts pages for tickets that begin to match a policy, acknowledges pages of tickets that a member assigns to
 * themselves, and ends pages of closed tickets.
 */
import { NotificationSent } from "#domains/notifications/index.ts";
import { compileCondition } from "#kernel/condition/condition.ts";
import type { ReaderContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { CAUSATION_DEPTH_MAX, type RecordedEvent } from "#kernel/log/event.ts";
import { reader } from "#kernel/readers/reader.ts";
import { findTicketById, TICKET_KINDS } from "../../tickets/index.ts";
import { acknowledge } from "./acknowledge.ts";
import { PageAcknowledged, PageEnded, PageEscalated, PageExhausted, PageSent } from "./page.ts";
import type { Policy } from "./policy.ts";
import { endPage, startPage } from "./send-page.ts";
import { lockOpenPages } from "./store.ts";

const emits = [
  PageSent,
  PageEscalated,
  PageAcknowledged,
  PageExhausted,
  PageEnded,
  NotificationSent,
];

/** Incidents have an event for it; tickets of other kinds are updated. */
const ASSIGNED = "incident.assigned";
const BEGINS = ["created", "updated", "reopened", "major_declared", "escalated"];
const ENDS = ["resolved", "closed", "cancelled", "merged", "completed", "rolled_back", "fulfilled"];

export const pageReader = reader({
  name: "on_call.page",
  on: [
    ...TICKET_KINDS.flatMap((kind) => [...BEGINS, ...ENDS].map((verb) => `${kind}.${verb}`)),
    ASSIGNED,
  ],
  startsAt: "end",
  emits,
  async handle(ctx, events) {
    await endPages(ctx, events);
    await acknowledgeTaken(ctx, events);
    const policies = await readPolicies(ctx.tx);
    if (policies.length === 0) return;
    for (const event of events) {
      if (event.depth >= CAUSATION_DEPTH_MAX) continue;
      for (const policy of policies) {
        if (policy.entity === event.resource.type && comesToFit(policy, event)) {
          await startFor(ctx, policy, event);
        }
      }
    }
  },
});

type PageContext = ReaderContext<(typeof emits)[number]>;
type ActivePolicy = Pick<Policy, "id" | "entity" | "steps" | "repeats"> & {
  readonly fits: (subject: unknown) => boolean;
};

async function readPolicies(tx: Tx): Promise<readonly ActivePolicy[]> {
  const text = `
    select id, entity, conditions, steps, repeats from escalation_policies
     where active and conditions is not null order by name, id`;
  return (await queryRows(tx, text, [])).map((row) => {
    // Already validated when saved.
    const policy = row as unknown as Pick<
      Policy,
      "id" | "entity" | "steps" | "repeats" | "conditions"
    >;
    return { ...policy, fits: compileCondition(policy.conditions ?? {}) };
  });
}

/** True for an event after which a ticket matches that did not match before. */
function comesToFit({ fits }: ActivePolicy, { type, data }: RecordedEvent): boolean {
  const verb = type.slice(type.indexOf(".") + 1);
  if (!BEGINS.includes(verb)) return false;
  const { before, after } = data as { readonly before?: object; readonly after?: object };
  const subject = (ticket: object) => ({ ...ticket, data: ticket });
  if (before && fits(subject(before))) return false;
  return fits(subject(after ?? data));
}

async function startFor(
  ctx: PageContext,
  policy: ActivePolicy,
  event: RecordedEvent,
): Promise<void> {
  const { id } = event.resource;
  const found = await findTicketById(ctx, id);
  const open = await queryRows(ctx.tx, "select from tickets where id = $1 and is_open", [id]);
  const pages = await lockOpenPages(ctx.tx, [id]);
  const isUnderWay = pages.some(({ policyId }) => policyId === policy.id);
  if (!found || open.length === 0 || isUnderWay) return;
  await startPage(ctx.because(event), policy, found.ticket);
}

const CLOSED = "select id from tickets where id = any($1::text[]) and not is_open";

async function endPages(ctx: PageContext, events: readonly RecordedEvent[]): Promise<void> {
  const ending = events.filter(({ type }) => ENDS.includes(type.slice(type.indexOf(".") + 1)));
  if (ending.length === 0) return;
  const ids = [...new Set(ending.map(({ resource }) => resource.id))];
  const closed = (await queryRows(ctx.tx, CLOSED, [ids])).map(({ id }) => String(id));
  if (closed.length === 0) return;
  for (const page of await lockOpenPages(ctx.tx, closed)) {
    const cause = ending.find(({ resource }) => resource.id === page.ticket.id);
    if (cause) await endPage(ctx.because(cause), page);
  }
}

/** A member with a self-assigned ticket is working on it, so no other member needs to be paged. */
async function acknowledgeTaken(ctx: PageContext, events: readonly RecordedEvent[]): Promise<void> {
  const taking = events.filter(isTaken);
  if (taking.length === 0) return;
  const ids = [...new Set(taking.map(({ resource }) => resource.id))];
  for (const page of await lockOpenPages(ctx.tx, ids)) {
    // A self-assignment before the page started does not acknowledge it.
    const cause = taking.find(
      ({ resource, createdAt }) => resource.id === page.ticket.id && createdAt >= page.createdAt,
    );
    if (cause && page.state === "paging")
      await acknowledge(ctx.because(cause), page, cause.actor.id);
  }
}

function isTaken({ type, actor, data }: RecordedEvent): boolean {
  const { changes = [], after } = data as {
    readonly changes?: readonly string[];
    readonly after?: { readonly assigneeId?: unknown };
  };
  const isAssigned = type === ASSIGNED || changes.includes("assigneeId");
  const assigneeId = after?.assigneeId ?? data["assigneeId"];
  return isAssigned && actor.type === "user" && assigneeId === actor.id;
}
