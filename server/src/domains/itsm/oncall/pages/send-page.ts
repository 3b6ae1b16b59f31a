/**
 * Sends pages. The row, the notifications of a step, its events and the job of the next step are one commit, so each
 * step pages exactly once.
 */
import Type from "typebox";
import { findMemberNames } from "#domains/identity/accounts/index.ts";
import { notify, NotificationSent } from "#domains/notifications/index.ts";
import { authorOf, partitionOfCaller } from "#kernel/access/caller.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { EventType } from "#kernel/log/event.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { newId } from "#kernel/schema/id.ts";
import { id } from "#kernel/schema/schema.ts";
import { job } from "#kernel/work/job.ts";
import { findTeamMemberIds, ticketMail, type TicketIdentity } from "../../tickets/index.ts";
import { notifyManagers } from "../left-people.ts";
import { findOnCall } from "../on-call.ts";
import { schedules } from "../schedule.ts";
import { ackPath } from "./ack-link.ts";
import {
  nextPlace,
  Page,
  PageEnded,
  PageEscalated,
  PageExhausted,
  PageSent,
  type PagePlace,
  type StoredPage,
  toPageData,
} from "./page.ts";
import type { Policy, Target } from "./policy.ts";
import { getPage, insertPage, savePage } from "./store.ts";

const MINUTE_MS = 60_000;

type SendContext = WriteContext<
  typeof PageSent | typeof PageEscalated | typeof PageExhausted | typeof NotificationSent
>;

/** The steps of a page and their source. */
interface PagePlan extends Pick<Policy, "steps" | "repeats"> {
  /** The policy; null for named targets. */
  readonly id: string | null;
  readonly message?: string;
}

/** Starts a page for a ticket. */
export async function startPage(
  ctx: SendContext,
  plan: PagePlan,
  { kind, id: ticketId, number, title }: TicketIdentity,
): Promise<StoredPage> {
  const at = ctx.now.toISOString();
  const page: StoredPage = {
    id: newId("pag", ctx.now.getTime()),
    policyId: plan.id,
    ticket: { kind, id: ticketId, number, title },
    state: "paging",
    steps: plan.steps,
    repeats: plan.repeats,
    message: plan.message ?? "",
    round: 0,
    step: 0,
    userIds: [],
    nextAt: null,
    acknowledgedBy: null,
    acknowledgedAt: null,
    createdBy: authorOf(ctx.caller),
    createdAt: at,
    updatedAt: at,
    revision: 1,
  };
  await insertPage(ctx, page);
  return sendStep(ctx, page, { round: 0, step: 0 });
}

/** Pages the members of a step, or of the next step with members. */
async function sendStep(ctx: SendContext, page: StoredPage, place: PagePlace): Promise<StoredPage> {
  let at: PagePlace | undefined = place;
  const notified = new Set<string>();
  for (let current = page; at; at = nextPlace(at, page)) {
    const { targets = [], waitMinutes = 1 } = page.steps[at.step] ?? {};
    const asked = await findTargets(ctx, targets);
    const userIds =
      asked.length === 0 ? [] : await notify(ctx, { ...buildMessage(ctx, page), userIds: asked });
    current = { ...current, ...at, userIds };
    await reportLeavers(ctx, page, { targets, userIds, notified });
    if (userIds.length > 0) return waitForAnswer(ctx, current, waitMinutes);
    emitPage(ctx, PageEscalated, current);
  }
  const ended = { ...page, state: "exhausted" as const, userIds: [], nextAt: null };
  const exhausted = await savePage(ctx, ended);
  emitPage(ctx, PageExhausted, exhausted);
  return exhausted;
}

interface PagedStep {
  readonly targets: readonly Target[];
  readonly userIds: readonly string[];
  /** Schedules whose managers were already notified during this call. */
  readonly notified: Set<string>;
}

/** Notifies the managers of a schedule if its member on call left and could not be paged. */
async function reportLeavers(
  ctx: SendContext,
  { ticket }: StoredPage,
  { targets, userIds, notified }: PagedStep,
): Promise<void> {
  for (const { type, id: scheduleId } of targets) {
    if (type !== "schedule" || notified.has(scheduleId)) continue;
    const userId = await findOnCall(ctx.tx, scheduleId, ctx.now);
    if (userId === null || userIds.includes(userId)) continue;
    notified.add(scheduleId);
    const [person] = await findMemberNames(ctx.tx, [userId]);
    await notifyManagers(ctx, await schedules.store.get(ctx.tx, scheduleId), {
      name: person?.name ?? "A former member",
      why: `The page about ${ticket.number} could not reach this member, who is on call. No member of this schedule was paged.`,
    });
  }
}

async function waitForAnswer(
  ctx: SendContext,
  page: StoredPage,
  waitMinutes: number,
): Promise<StoredPage> {
  const dueAt = new Date(ctx.now.getTime() + waitMinutes * MINUTE_MS);
  const sent = await savePage(ctx, { ...page, nextAt: dueAt.toISOString() });
  ctx.enqueue(advancePageJob, { pageId: page.id }, { key: page.id, dueAt, onConflict: "move" });
  emitPage(ctx, PageSent, sent);
  return sent;
}

/** Continues a page with the next step if it was not acknowledged in time. */
export const advancePageJob = job({
  kind: "pages.advance",
  payload: Type.Object({ pageId: id("pag") }),
  emits: [PageSent, PageEscalated, PageExhausted, PageEnded, NotificationSent],
  async run(ctx, { pageId }) {
    const page = await getPage(ctx.tx, pageId, "for update");
    if (page.state !== "paging" || page.nextAt === null) return;
    // Another job is due later.
    if (Date.parse(page.nextAt) > ctx.now.getTime()) return;
    if (!(await isOpen(ctx, page.ticket.id))) return endPage(ctx, page);
    const next = nextPlace(page, page);
    if (next) emitPage(ctx, PageEscalated, { ...page, ...next, userIds: [] });
    if (next) return void (await sendStep(ctx, page, next));
    emitPage(
      ctx,
      PageExhausted,
      await savePage(ctx, { ...page, state: "exhausted", nextAt: null }),
    );
  },
});

/** Ends a page after its ticket was resolved or handled. */
export async function endPage(
  ctx: WriteContext<typeof PageEnded>,
  page: StoredPage,
): Promise<void> {
  emitPage(ctx, PageEnded, await savePage(ctx, { ...page, state: "ended", nextAt: null }));
}

export function emitPage<E extends EventType<`page.${string}`, typeof Page>>(
  ctx: WriteContext<NoInfer<E>>,
  event: E,
  page: StoredPage,
): void {
  const { id: pageId, ticket } = page;
  const emit = ctx.emit as (...emission: readonly unknown[]) => void;
  emit(event, { id: pageId, displayName: `${ticket.number} ${ticket.title}` }, toPageData(page));
}

async function isOpen({ tx }: WriteContext<never>, ticketId: string): Promise<boolean> {
  const rows = await queryRows(tx, "select from tickets where id = $1 and is_open", [ticketId]);
  return rows.length > 0;
}

/** The members that the targets currently resolve to, without duplicates. */
async function findTargets(
  { tx, now }: WriteContext<never>,
  targets: readonly Target[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { type, id: targetId } of targets) {
    if (type === "user") found.push(targetId);
    if (type === "team") found.push(...(await findTeamMemberIds(tx, targetId)));
    if (type === "schedule") found.push(...[(await findOnCall(tx, targetId, now)) ?? []].flat());
  }
  return [...new Set(found)].toSorted();
}

function buildMessage(ctx: SendContext, { id: pageId, ticket, message = "", steps }: StoredPage) {
  const { caller, services, now } = ctx;
  const why = message === "" ? "" : `\n\n${message}`;
  const next = steps.length > 1 ? "Acknowledge it, or the next step is paged." : "Acknowledge it.";
  return {
    title: `Page: ${ticket.number}`,
    body: `${ticket.title}${why}\n\nYou are being paged. ${next}`,
    about: { eventType: PageSent.type, resource: { type: "page", id: pageId } },
    mail: {
      ...ticketMail(ticket),
      isUrgent: true as const,
      link: (userId: string) => ({
        label: "Acknowledge (no sign-in needed)",
        path: ackPath(
          services.masterKey,
          { partition: partitionOfCaller(caller), pageId, userId },
          now,
        ),
      }),
    },
  };
}
