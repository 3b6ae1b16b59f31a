import Type from "typebox";
import { NotificationSent } from "#domains/notifications/index.ts";
import { authorOf } from "#kernel/access/caller.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { listPage, listQuery } from "#kernel/list/list.ts";
import { Failure, failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { countedPage, created, item, withRevision } from "#kernel/operation/response.ts";
import { id, object, text } from "#kernel/schema/schema.ts";
import type { WaitingWork } from "#kernel/contributions/waiting-work.ts";
import {
  anyTicketRef,
  countTickets,
  DeskRead,
  findTicketById,
  seesOwnOnly,
  ticketKinds,
  toTicketId,
} from "../../tickets/index.ts";
import { PagesWrite } from "../permissions.ts";
import {
  Page,
  PAGE_STATES,
  PageAcknowledged,
  PageEscalated,
  PageExhausted,
  PageSent,
  type StoredPage,
  toPageData,
} from "./page.ts";
import { assertTargets, escalationPolicies, Target, TARGETS_MAX } from "./policy.ts";
import { acknowledge, isUnanswered } from "./acknowledge.ts";
import { ackOperations } from "./ack-operations.ts";
import { startPage } from "./send-page.ts";
import { getPage, lockOpenPages, pageList, toPage } from "./store.ts";

const PATH = "/api/v1/itsm/pages";
const EXAMPLE = "pag_01jzt3n5k8q2x4v6w8y0z2b4d6";

const PageUnderWay = failure("page_under_way", 409, "A page about this ticket is already active.");
const PageOver = failure(
  "page_over",
  409,
  "Another member has acknowledged this page, or its ticket is closed.",
);

const toResponse = (page: StoredPage) => ({ ...toPageData(page), revision: page.revision });

/** Pages that wait for an acknowledgement by the member. */
export const pageWork: WaitingWork = {
  kind: "pages",
  permission: PagesWrite,
  count: ({ tx }, userId) =>
    countTickets(tx, "pages", "t.state = 'paging' and $1 = any (t.user_ids)", userId),
};

const listPages = query({
  id: "pages.list",
  route: `GET ${PATH}`,
  summary: "List pages, newest first",
  description: "Returns pages about tickets of kinds that you can view, and pages to you.",
  permission: DeskRead,
  query: object({
    ...listQuery,
    state: Type.Optional(Type.Enum([...PAGE_STATES])),
    mine: Type.Optional(
      Type.Boolean({ description: "`true`: only pages that currently page you" }),
    ),
    ticketId: Type.Optional(anyTicketRef()),
  }),
  response: countedPage(withRevision(Page)),
  example: { query: { state: "paging", limit: 20 } },
  async run(ctx, { query: { state, mine = false, ticketId: reference, ...asked } }) {
    const ticketId = reference === undefined ? undefined : await toTicketId(ctx, reference);
    const kinds = visibleKinds(ctx);
    const me = ctx.caller.principal?.id ?? "";
    return listPage(ctx, pageList, asked, {
      conditions: [
        (to) =>
          `(${mine ? "false" : `kind = any (${to.add(kinds, "text[]")})`} or ${to.add(me, "text")} = any (user_ids))`,
        (to) => (state === undefined ? "true" : `state = ${to.add(state, "text")}`),
        (to) => (ticketId === undefined ? "true" : `ticket_id = ${to.add(ticketId, "text")}`),
      ],
      toItem: (row) => toResponse(toPage(row)),
    });
  },
});

/** The kinds whose tickets the caller can all see. */
function visibleKinds({ services, caller }: ReadContext): readonly string[] {
  return ticketKinds(services)
    .filter((kind) => caller.permissions.has(kind.read.name) && !seesOwnOnly(kind, caller))
    .map(({ kind }) => kind);
}

/** A page visible to the caller. Throws 404 otherwise. */
async function getVisiblePage(ctx: ReadContext, pageId: string, lock = ""): Promise<StoredPage> {
  const page = await getPage(ctx.tx, pageId, lock);
  const isTheirs = page.userIds.includes(ctx.caller.principal?.id ?? "");
  if (!isTheirs && !visibleKinds(ctx).includes(page.ticket.kind)) throw new Failure(NotFound);
  return page;
}

const getPageOperation = query({
  id: "pages.get",
  route: `GET ${PATH}/{id}`,
  summary: "Get a page",
  permission: DeskRead,
  params: object({ id: id("pag") }),
  response: item(Page),
  example: { params: { id: EXAMPLE } },
  run: async (ctx, { params }) => toResponse(await getVisiblePage(ctx, params.id)),
});

const createPage = command({
  id: "pages.create",
  effect: "ordinary",
  route: `POST ${PATH}`,
  summary: "Page people about a ticket",
  description:
    "Runs the steps of an escalation policy, regardless of its condition, or pages the members, teams and on-call schedules in `targets` once.",
  permission: PagesWrite,
  body: object({
    policyId: Type.Optional(id("esp")),
    targets: Type.Optional(Type.Array(Target, { minItems: 1, maxItems: TARGETS_MAX })),
    message: Type.Optional(text(1_000, "Reason for the page")),
    ticketId: anyTicketRef(),
  }),
  response: created(Page, { location: (page) => `${PATH}/${page.id}` }),
  emits: [PageSent, PageEscalated, PageExhausted, NotificationSent],
  fails: [PageUnderWay],
  example: {
    body: {
      policyId: "esp_01jzt3n5k8q2x4v6w8y0z2b4d6",
      ticketId: "inc_01jzt3n5k8q2x4v6w8y0z2b4d6",
    },
  },
  async run(ctx, { body: { ticketId: reference, message = "", ...whom } }) {
    const plan = await readPlan(ctx, whom);
    const ticketId = await toTicketId(ctx, reference);
    const found = await findTicketById(ctx, ticketId);
    const isSeen = found && visibleKinds(ctx).includes(found.kind.kind);
    if (!isSeen) throw invalidField("/ticketId", "is not a ticket that you can see");
    // Serialised, so that only one of two concurrent requests starts a page.
    await ctx.send("select pg_advisory_xact_lock(hashtext('page' || $1))", [
      ticketId + (plan.id ?? ""),
    ]);
    const open = await lockOpenPages(ctx.tx, [ticketId]);
    // Members named several times are paged once.
    const isSame = (page: StoredPage): boolean =>
      plan.id === null
        ? page.policyId === null && !targetsOf(page).isDisjointFrom(targetsOf(plan))
        : page.policyId === plan.id;
    if (open.some((page) => page.state === "paging" && isSame(page))) {
      throw new Failure(PageUnderWay);
    }
    return toResponse(await startPage(ctx, { ...plan, message }, found.ticket));
  },
});

const HAND_WAIT_MINUTES = 15;

interface PageInput {
  readonly policyId?: string;
  readonly targets?: readonly Target[];
}

/** The steps of a policy, or one step with the named targets. */
async function readPlan(ctx: WriteContext<never>, { policyId, targets }: PageInput) {
  if (policyId !== undefined && targets)
    throw invalidField("/targets", "can't be combined with policyId");
  if (targets) {
    await assertTargets(ctx, targets, "/targets");
    return {
      id: null,
      steps: [{ targets: [...targets], waitMinutes: HAND_WAIT_MINUTES }],
      repeats: 0,
    };
  }
  if (policyId === undefined) throw invalidField("/targets", "is required without a policyId");
  const policy = await escalationPolicies.store.find(ctx.tx, policyId);
  if (!policy) throw invalidField("/policyId", "is not the id of an escalation policy");
  return policy;
}

/** The target ids of the first step. */
function targetsOf({ steps }: Pick<StoredPage, "steps">): Set<string> {
  return new Set((steps[0]?.targets ?? []).map(({ id: targetId }) => targetId));
}

const acknowledgePage = command({
  id: "pages.acknowledge",
  effect: "ordinary",
  route: `POST ${PATH}/{id}/acknowledge`,
  summary: "Acknowledge a page",
  description:
    "Stops the escalation. Members who were paged or can see the ticket can acknowledge, also after the last step. Taking the ticket acknowledges the page too. If it is already acknowledged by you, nothing changes.",
  permission: PagesWrite,
  params: object({ id: id("pag") }),
  response: item(Page),
  emits: [PageAcknowledged],
  allowNoop: true,
  fails: [PageOver],
  example: { params: { id: EXAMPLE } },
  async run(ctx, { params }) {
    const page = await getVisiblePage(ctx, params.id, "for update");
    ctx.expectRevision(page.revision);
    const by = authorOf(ctx.caller);
    if (page.state === "acknowledged" && page.acknowledgedBy === by) return toResponse(page);
    if (!isUnanswered(page)) throw new Failure(PageOver);
    return toResponse(await acknowledge(ctx, page, by));
  },
});

export const pageOperations = [
  listPages,
  getPageOperation,
  createPage,
  acknowledgePage,
  ...ackOperations,
];
