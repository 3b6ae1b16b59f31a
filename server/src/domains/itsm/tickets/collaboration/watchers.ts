import Type from "typebox";
import type { Operation } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { contribute } from "#kernel/extension-point.ts";
import { event, type EventType } from "#kernel/log/event.ts";
import { Failure, Forbidden, NotFound } from "#kernel/operation/failure.ts";
import { performWithin } from "#kernel/operation/inner-command.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageOfItems, pageQuery } from "#kernel/operation/pagination.ts";
import { created, noContent, page } from "#kernel/operation/response.ts";
import { id, object, Time } from "#kernel/schema/schema.ts";
import { article, exampleRef, type TicketKind, ticketParams } from "../kind.ts";
import { assertReferencesExist } from "../check-references.ts";
import type { State } from "#kernel/undo/fold-changes.ts";
import { type BulkInverse, InversePoint } from "#kernel/undo/inverse.ts";
import { getTicketIdentity, lockTicket, ticketRefOf } from "../ticket.ts";

const UserId = id("usr");
const Watcher = Type.Object({ userId: UserId, createdAt: Time }, { title: "Watcher" });
const WatcherData = Type.Object({ userId: UserId }, { title: "WatcherData" });
const EXAMPLE_USER = "usr_01jzt3n5k8q2x4v6w8y0z2b4d6";

/** Watchers of one ticket kind. They are notified of changes. */
export function watchersOf(kind: TicketKind) {
  const { kind: name } = kind;
  const about = { resource: name, data: WatcherData };
  const WatcherAdded = event(`${name}.watcher_added`, {
    ...about,
    summary: "A watcher was added.",
  });
  const WatcherRemoved = event(`${name}.watcher_removed`, {
    ...about,
    summary: "A watcher was removed.",
  });
  const add = addWatcher(kind, WatcherAdded);
  const remove = removeWatcher(kind, WatcherRemoved);
  const inverse = watcherInverse(kind, { add, remove });
  return {
    events: [WatcherAdded, WatcherRemoved],
    operations: [
      listWatchers(kind),
      { ...add, contributions: [contribute(InversePoint, inverse)] },
      remove,
    ],
  };
}

function watcherInverse(
  kind: TicketKind,
  { add, remove }: { readonly add: Operation; readonly remove: Operation },
): BulkInverse {
  const userOf = (id: string): string => id.slice(id.indexOf(".") + 1);
  return {
    resourceType: `${kind.kind}_watcher`,
    created: [`${kind.kind}.watcher_added`],
    deleted: [`${kind.kind}.watcher_removed`],
    permission: kind.read,
    oneByOne: true,
    idOf: ({ resource, data }) => `${resource.id}.${String(data["userId"])}`,
    groupOf: ({ resource }) => resource.id,
    async lock({ tx }, ticketId, ids) {
      await lockTicket(tx, kind, ticketId);
      const rows = await tx
        .selectFrom("ticket_watchers")
        .select("user_id")
        .where("ticket_id", "=", ticketId)
        .where("user_id", "in", ids.map(userOf))
        .execute();
      const states = rows.map(({ user_id }): [string, State] => [
        `${ticketId}.${user_id}`,
        { userId: user_id },
      ]);
      return { states: new Map(states), fields: new Set() };
    },
    async write(ctx, ticketId, reversals) {
      for (const { id: watcherId, target } of reversals) {
        const userId = userOf(watcherId);
        if (target) await performWithin(ctx, add, { params: { id: ticketId }, body: { userId } });
        else await performWithin(ctx, remove, { params: { id: ticketId, userId } });
      }
    },
  };
}

type WatcherEvent = EventType<`${string}.${string}`, typeof WatcherData>;

function listWatchers(kind: TicketKind) {
  const { kind: name, plural, path, read } = kind;
  return query({
    id: `${plural}.list_watchers`,
    route: `GET ${path}/{id}/watchers`,
    summary: `List watchers of ${article(name)}`,
    permission: read,
    params: ticketParams(kind),
    query: object(pageQuery),
    response: page(Watcher),
    example: { params: { id: exampleRef(kind) } },
    async run(ctx, { params: { id: ref }, query: asked }) {
      const ticket = await getTicketIdentity(ctx, kind, ref);
      const rows = await ctx.tx
        .selectFrom("ticket_watchers")
        .select(["user_id", "created_at"])
        .where("ticket_id", "=", ticket.id)
        .orderBy("user_id")
        .execute();
      return pageOfItems(ctx.services, `watchers of ${ticket.id}`, asked, {
        items: rows.map(({ user_id, created_at }) => ({ userId: user_id, createdAt: created_at })),
        keyOf: ({ userId }) => userId,
      });
    },
  });
}

/** Agents invite watchers, including those who already watch by their own choice. */
const ADD = `
  insert into ticket_watchers (kind, ticket_id, user_id, created_at, invited) values ($1, $2, $3, $4, $5)
  on conflict (workspace_id, environment, ticket_id, user_id) do update set invited = true
     where excluded.invited and not ticket_watchers.invited
  returning created_at`;

function addWatcher(kind: TicketKind, WatcherAdded: WatcherEvent) {
  const { kind: name, plural, path, read, write } = kind;
  return command({
    id: `${plural}.add_watcher`,
    effect: "ordinary",
    route: `POST ${path}/{id}/watchers`,
    summary: `Add a watcher to ${article(name)}`,
    description: `Default for \`userId\`: you. Adding other members requires \`${write.name}\`; these watchers can also comment where participants of the ticket can. Watching by yourself does not give any rights.`,
    permission: read,
    params: ticketParams(kind),
    body: object({ userId: Type.Optional(UserId) }),
    bodyOptional: true,
    response: created(Watcher),
    emits: [WatcherAdded],
    allowNoop: true,
    example: { params: { id: exampleRef(kind) }, body: { userId: EXAMPLE_USER } },
    async run(ctx, { params: { id: ref }, body }) {
      const userId = body?.userId ?? ctx.caller.principal?.id ?? "";
      assertMayWatchFor(ctx.caller, userId, write.name);
      const ticket = await getTicketIdentity(ctx, kind, ref);
      await assertReferencesExist(ctx, { users: { "/userId": userId } });
      const isInvited = ctx.caller.permissions.has(write.name);
      const [added] = await ctx.send<{ created_at: string }>(ADD, [
        name,
        ticket.id,
        userId,
        ctx.now,
        isInvited,
      ]);
      if (added) ctx.emit(WatcherAdded, ticketRefOf(ticket), { userId });
      const createdAt = added?.created_at ?? (await readWatchedSince(ctx.tx, ticket.id, userId));
      return { userId, createdAt: createdAt ?? ctx.now.toISOString() };
    },
  });
}

async function readWatchedSince(tx: Tx, ticketId: string, userId: string) {
  const row = await tx
    .selectFrom("ticket_watchers")
    .select("created_at")
    .where("ticket_id", "=", ticketId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row?.created_at;
}

function removeWatcher(kind: TicketKind, WatcherRemoved: WatcherEvent) {
  const { kind: name, plural, path, read, write } = kind;
  return command({
    id: `${plural}.remove_watcher`,
    route: `DELETE ${path}/{id}/watchers/{userId}`,
    summary: `Remove a watcher from ${article(name)}`,
    description: `Removing other members requires \`${write.name}\`.`,
    permission: read,
    params: object({ ...ticketParams(kind).properties, userId: UserId }),
    response: noContent(),
    emits: [WatcherRemoved],
    example: { params: { id: exampleRef(kind), userId: EXAMPLE_USER } },
    async run(ctx, { params: { id: ref, userId } }) {
      assertMayWatchFor(ctx.caller, userId, write.name);
      const ticket = await getTicketIdentity(ctx, kind, ref);
      ctx.expectRevision(ticket.revision);
      const { numDeletedRows } = await ctx.tx
        .deleteFrom("ticket_watchers")
        .where("ticket_id", "=", ticket.id)
        .where("user_id", "=", userId)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw new Failure(NotFound);
      ctx.emit(WatcherRemoved, ticketRefOf(ticket), { userId });
    },
  });
}

/** Throws 403 if the caller adds other people without working on such tickets. */
function assertMayWatchFor(
  caller: {
    readonly principal?: { readonly id: string };
    readonly permissions: ReadonlySet<string>;
  },
  userId: string,
  permission: string,
): void {
  if (userId === "" || (userId !== caller.principal?.id && !caller.permissions.has(permission))) {
    throw new Failure(Forbidden, { detail: `Changing other watchers requires ${permission}.` });
  }
}
