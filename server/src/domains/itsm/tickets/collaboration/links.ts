import { authorOf } from "#kernel/access/caller.ts";
import Type, { type Static } from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { event, type EventType } from "#kernel/log/event.ts";
import { Failure, failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { performWithin } from "#kernel/operation/inner-command.ts";
import type { State } from "#kernel/undo/fold-changes.ts";
import { contribute } from "#kernel/extension-point.ts";
import { type BulkInverse, InversePoint } from "#kernel/undo/inverse.ts";
import type { Operation, ReadContext, WriteContext } from "#kernel/contract.ts";
import { pageOfItems, pageQuery } from "#kernel/operation/pagination.ts";
import { created, noContent, page } from "#kernel/operation/response.ts";
import { id, object, Time } from "#kernel/schema/schema.ts";
import {
  article,
  exampleRef,
  type TicketKind,
  type TicketKindName,
  ticketParams,
  TicketSummary,
} from "../kind.ts";
import { findVisibleTickets, getTicketIdentity, lockTicket, ticketRefOf } from "../ticket.ts";
import { anyTicketRef, toTicketId } from "../references/ticket-reference.ts";

export const LINK_TYPES = [
  "relates_to",
  "caused_by",
  "duplicates",
  "blocks",
  "fixed_by",
  "child_of",
] as const;

const LinkId = id("lnk");
const EXAMPLE_LINK = "lnk_01jzt3n5k8q2x4v6w8y0z2b4d6";
const EXAMPLE_TICKET = "prb_01jzt3n5k8q2x4v6w8y0z2b4d6";

const Link = Type.Object(
  {
    id: LinkId,
    type: Type.String(),
    direction: Type.Enum(["out", "in"], {
      description:
        "`out`: the link was created from this ticket. `in`: the link was created from the other ticket",
    }),
    ticket: TicketSummary,
    createdBy: Type.String(),
    createdAt: Time,
  },
  { title: "TicketLink" },
);

const LinkData = Type.Object(
  {
    id: LinkId,
    type: Type.String(),
    from: Type.String(),
    to: Type.String(),
    // Events of earlier versions do not have these fields.
    createdBy: Type.Optional(Type.String()),
    createdAt: Type.Optional(Time),
  },
  { title: "TicketLinkData" },
);
type LinkData = Static<typeof LinkData>;

export const LinkExists = failure(
  "link_exists",
  409,
  "The tickets already have a link of this type.",
  "ticket_links_once",
);

/** Links between tickets of one kind and other tickets. */
export function linksOf(kind: TicketKind) {
  const about = { resource: kind.kind, data: LinkData };
  const Linked = event(`${kind.kind}.linked`, {
    ...about,
    summary: "A link to another ticket was added.",
  });
  const Unlinked = event(`${kind.kind}.unlinked`, {
    ...about,
    summary: "A link to another ticket was removed.",
  });
  const [add, remove] = [addLink(kind, Linked), removeLink(kind, Unlinked)];
  const inverse = linkInverse(kind, { remove, Linked, Unlinked });
  return {
    events: [Linked, Unlinked],
    operations: [
      listLinks(kind),
      { ...add, contributions: [contribute(InversePoint, inverse)] },
      remove,
    ],
  };
}

/** A restored link keeps its id, author and time. */
function linkInverse(
  kind: TicketKind,
  links: { readonly remove: Operation; readonly Linked: LinkEvent; readonly Unlinked: LinkEvent },
): BulkInverse {
  return {
    resourceType: `${kind.kind}_link`,
    created: [links.Linked.type],
    deleted: [links.Unlinked.type],
    permission: kind.write,
    oneByOne: true,
    idOf: ({ data }) => String(data["id"]),
    groupOf: ({ resource }) => resource.id,
    async lock({ tx }, ticketId, ids) {
      await lockTicket(tx, kind, ticketId);
      const rows = await tx
        .selectFrom("ticket_links")
        .selectAll()
        .where("id", "in", [...ids])
        .where((row) => row.or([row("from_id", "=", ticketId), row("to_id", "=", ticketId)]))
        .execute();
      const states = rows.map((row): [string, State] => [row.id, toLinkData(row)]);
      return { states: new Map(states), fields: new Set(["type", "from", "to"]) };
    },
    async write(ctx, ticketId, reversals) {
      for (const { id: linkId, target } of reversals) {
        if (target) await restoreLink(ctx, kind, { ticketId, Linked: links.Linked, target });
        else await performWithin(ctx, links.remove, { params: { id: ticketId, linkId } });
      }
    },
  };
}

async function restoreLink(
  ctx: WriteContext,
  kind: TicketKind,
  {
    ticketId,
    Linked,
    target,
  }: { readonly ticketId: string; readonly Linked: LinkEvent; readonly target: State },
): Promise<void> {
  // Undo states are event data.
  const data = target as LinkData;
  const head = await getTicketIdentity(ctx, kind, ticketId);
  const tickets = await findVisibleTickets(ctx, [data.from, data.to]);
  const [from, to] = [tickets.get(data.from), tickets.get(data.to)];
  if (!from || !to) throw new Failure(NotFound);
  if (await isLinked(ctx.tx, target)) throw new Failure(LinkExists);
  const { createdBy = authorOf(ctx.caller), createdAt = ctx.now.toISOString() } = data;
  const link = { ...data, createdBy, createdAt };
  await insertLink(ctx, link, { fromKind: from.kind, toKind: to.kind });
  ctx.emit(Linked, ticketRefOf(head), link);
}

async function insertLink(
  ctx: WriteContext<never>,
  { id: linkId, type, from, to, createdBy, createdAt }: Required<LinkData>,
  { fromKind, toKind }: { readonly fromKind: TicketKindName; readonly toKind: TicketKindName },
): Promise<void> {
  await ctx.send(
    `insert into ticket_links
       (id, type, from_kind, from_id, to_kind, to_id, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [linkId, type, fromKind, from, toKind, to, createdBy, createdAt],
  );
}

interface LinkRow {
  readonly id: string;
  readonly type: string;
  readonly from_id: string;
  readonly to_id: string;
  readonly created_by: string;
  readonly created_at: string;
}

function toLinkData(row: LinkRow): Required<LinkData> {
  const { id: linkId, type, from_id, to_id, created_by, created_at } = row;
  return {
    id: linkId,
    type,
    from: from_id,
    to: to_id,
    createdBy: created_by,
    createdAt: created_at,
  };
}

/** True if the same link was created again. */
async function isLinked(tx: Tx, { type, from, to }: State): Promise<boolean> {
  const row = await tx
    .selectFrom("ticket_links")
    .select("id")
    .where("type", "=", String(type))
    .where("from_id", "=", String(from))
    .where("to_id", "=", String(to))
    .executeTakeFirst();
  return row !== undefined;
}

type LinkEvent = EventType<`${string}.${string}`, typeof LinkData>;

function listLinks(kind: TicketKind) {
  const { kind: name, plural, path, read } = kind;
  return query({
    id: `${plural}.list_links`,
    route: `GET ${path}/{id}/links`,
    summary: `List linked tickets of ${article(name)}`,
    description:
      "Returns links in both directions. Known errors include their workaround. Tickets of kinds that you can't view are omitted.",
    permission: read,
    params: ticketParams(kind),
    query: object(pageQuery),
    response: page(Link),
    example: { params: { id: exampleRef(kind) } },
    async run(ctx, { params: { id: ref }, query: asked }) {
      const head = await getTicketIdentity(ctx, kind, ref);
      return pageOfItems(ctx.services, `links of ${head.id}`, asked, {
        items: await listVisibleLinks(ctx, head.id),
        keyOf: (link) => link.id,
      });
    },
  });
}

/** Lists the links of a ticket to tickets visible to the caller. */
export async function listVisibleLinks(ctx: ReadContext, ticketId: string) {
  const rows = await queryLinks(ctx.tx, ticketId);
  const others = rows.map((row) => (row.from_id === ticketId ? row.to_id : row.from_id));
  const summaries = await findVisibleTickets(ctx, others);
  return rows.flatMap((row, index) => {
    const ticket = summaries.get(others[index] ?? "");
    if (!ticket) return [];
    const { id: linkId, type, created_by, created_at } = row;
    const direction = row.from_id === ticketId ? ("out" as const) : ("in" as const);
    return [{ id: linkId, type, direction, ticket, createdBy: created_by, createdAt: created_at }];
  });
}

const LINKS_MAX = 500;

function queryLinks(tx: Tx, ticketId: string) {
  const all = tx.selectFrom("ticket_links").selectAll();
  return all
    .where("from_id", "=", ticketId)
    .unionAll(all.where("to_id", "=", ticketId))
    .orderBy("id")
    .limit(LINKS_MAX)
    .execute();
}

function addLink(kind: TicketKind, Linked: LinkEvent) {
  const { kind: name, plural, path, write } = kind;
  return command({
    id: `${plural}.add_link`,
    effect: "ordinary",
    route: `POST ${path}/{id}/links`,
    summary: `Link ${article(name)} to another ticket`,
    permission: write,
    params: ticketParams(kind),
    body: object({
      type: Type.Optional(Type.Enum([...LINK_TYPES], { description: "Default: `relates_to`" })),
      ticketId: anyTicketRef(),
    }),
    response: created(Link),
    emits: [Linked],
    fails: [LinkExists],
    example: {
      params: { id: exampleRef(kind) },
      body: { type: "relates_to", ticketId: EXAMPLE_TICKET },
    },
    async run(ctx, { params: { id: ref }, body: { type = "relates_to", ticketId: otherRef } }) {
      const head = await getTicketIdentity(ctx, kind, ref);
      const ticketId = await toTicketId(ctx, otherRef);
      const ticket = (await findVisibleTickets(ctx, [ticketId])).get(ticketId);
      if (!ticket) throw invalidField("/ticketId", "is not a ticket that you can see");
      if (ticketId === head.id) throw invalidField("/ticketId", "must be a different ticket");
      const link = {
        id: newId("lnk", ctx.now.getTime()),
        type,
        from: head.id,
        to: ticketId,
        createdBy: authorOf(ctx.caller),
        createdAt: ctx.now.toISOString(),
      };
      // Checked first, because a constraint violation would abort the transaction of a bulk change.
      if (await isLinked(ctx.tx, link)) throw new Failure(LinkExists);
      await insertLink(ctx, link, { fromKind: name, toKind: ticket.kind });
      ctx.emit(Linked, ticketRefOf(head), link);
      const { id: linkId, createdBy, createdAt } = link;
      return { id: linkId, type, direction: "out" as const, ticket, createdBy, createdAt };
    },
  });
}

function removeLink(kind: TicketKind, Unlinked: LinkEvent) {
  const { plural, path, write } = kind;
  return command({
    id: `${plural}.remove_link`,
    route: `DELETE ${path}/{id}/links/{linkId}`,
    summary: "Remove a link to another ticket",
    permission: write,
    params: object({ ...ticketParams(kind).properties, linkId: LinkId }),
    response: noContent(),
    emits: [Unlinked],
    example: { params: { id: exampleRef(kind), linkId: EXAMPLE_LINK } },
    async run(ctx, { params: { id: ref, linkId } }) {
      const head = await getTicketIdentity(ctx, kind, ref);
      ctx.expectRevision(head.revision);
      const row = await ctx.tx
        .deleteFrom("ticket_links")
        .where("id", "=", linkId)
        .where((link) => link.or([link("from_id", "=", head.id), link("to_id", "=", head.id)]))
        .returningAll()
        .executeTakeFirst();
      if (!row) throw new Failure(NotFound);
      ctx.emit(Unlinked, ticketRefOf(head), toLinkData(row));
    },
  });
}
