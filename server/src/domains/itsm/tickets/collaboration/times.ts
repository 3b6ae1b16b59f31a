/** Time spent on tickets. Visible to agents only. */
import Type, { type Static } from "typebox";
import { authorOf } from "#kernel/access/caller.ts";
import type { Operation, ReadContext, WriteContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { contribute } from "#kernel/extension-point.ts";
import { event, type EventType } from "#kernel/log/event.ts";
import { Failure, Forbidden, NotFound } from "#kernel/operation/failure.ts";
import { performWithin } from "#kernel/operation/inner-command.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageOfItems, pageQuery } from "#kernel/operation/pagination.ts";
import { created, noContent, page } from "#kernel/operation/response.ts";
import { newId } from "#kernel/schema/id.ts";
import { id, line, object, text, Time } from "#kernel/schema/schema.ts";
import { assertReferencesExist } from "../check-references.ts";
import { seesOwnOnly } from "../askers/party.ts";
import { article, exampleRef, type TicketKind, ticketParams } from "../kind.ts";
import type { State } from "#kernel/undo/fold-changes.ts";
import { type BulkInverse, InversePoint } from "#kernel/undo/inverse.ts";
import { getTicketIdentity, lockTicket, ticketRefOf } from "../ticket.ts";

const MINUTES_MAX = 1_440;
const ENTRIES_MAX = 1_000;
const EXAMPLE = "tim_01jzt3n5k8q2x4v6w8y0z2b4d6";

const TimeEntry = Type.Object(
  {
    id: id("tim"),
    ticketId: Type.String(),
    userId: id("usr", "The member who worked"),
    minutes: Type.Integer({ minimum: 1, maximum: MINUTES_MAX }),
    spentOn: Type.String({
      format: "date",
      pattern: "^(19|[2-9]\\d)\\d\\d-",
      description: "Date of the work",
    }),
    note: text(1_000),
    createdBy: Type.String(),
    createdAt: Time,
  },
  { title: "TimeEntry" },
);
type TimeEntry = Static<typeof TimeEntry>;
type TimeEvent = EventType<`${string}.${string}`, typeof TimeEntry>;

/** Time entries of one ticket kind. */
export function timesOf(kind: TicketKind) {
  const about = { resource: kind.kind, data: TimeEntry };
  const TimeAdded = event(`${kind.kind}.time_added`, {
    ...about,
    summary: "A time entry was added.",
  });
  const TimeRemoved = event(`${kind.kind}.time_removed`, {
    ...about,
    summary: "A time entry was removed.",
  });
  const remove = removeTime(kind, TimeRemoved);
  return {
    events: [TimeAdded, TimeRemoved],
    operations: [
      listTimes(kind),
      {
        ...addTime(kind, TimeAdded),
        contributions: [contribute(InversePoint, timeInverse(kind, { remove, TimeAdded }))],
      },
      remove,
    ],
  };
}

/** A restored time entry keeps its id, author and time. */
function timeInverse(
  kind: TicketKind,
  { remove, TimeAdded }: { readonly remove: Operation; readonly TimeAdded: TimeEvent },
): BulkInverse {
  return {
    resourceType: `${kind.kind}_time`,
    created: [TimeAdded.type],
    deleted: [`${kind.kind}.time_removed`],
    permission: kind.write,
    oneByOne: true,
    idOf: ({ data }) => String(data["id"]),
    groupOf: ({ resource }) => resource.id,
    async lock(ctx, ticketId, ids) {
      await lockTicket(ctx.tx, kind, ticketId);
      const entries = await findTimes(ctx, ticketId, ids);
      const states = entries.map((entry): [string, State] => [entry.id, { ...entry }]);
      return {
        states: new Map(states),
        fields: new Set(["userId", "minutes", "spentOn", "note"]),
      };
    },
    async write(ctx, ticketId, reversals) {
      const ticket = await getWorkedTicket(ctx, kind, ticketId);
      for (const { id: timeId, target } of reversals) {
        if (!target) {
          await performWithin(ctx, remove, { params: { id: ticketId, timeId } });
          continue;
        }
        // Undo states are event data.
        const entry = target as TimeEntry;
        await insertTime(ctx, kind, entry);
        ctx.emit(TimeAdded, ticketRefOf(ticket), entry);
      }
    },
  };
}

async function insertTime(
  ctx: WriteContext<never>,
  { kind }: TicketKind,
  entry: TimeEntry,
): Promise<void> {
  const { id: timeId, ticketId, userId, minutes, spentOn, note, createdBy, createdAt } = entry;
  await ctx.send(
    `insert into ticket_times
       (id, kind, ticket_id, user_id, minutes, spent_on, note, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [timeId, kind, ticketId, userId, minutes, spentOn, note, createdBy, createdAt],
  );
}

function listTimes(kind: TicketKind) {
  const { kind: name, plural, path, read } = kind;
  return query({
    id: `${plural}.list_times`,
    route: `GET ${path}/{id}/times`,
    summary: `List time entries of ${article(name)}, oldest first`,
    permission: read,
    params: ticketParams(kind),
    query: object(pageQuery),
    response: page(TimeEntry),
    example: { params: { id: exampleRef(kind) } },
    async run(ctx, { params: { id: ref }, query: asked }) {
      const ticket = await getWorkedTicket(ctx, kind, ref);
      return pageOfItems(ctx.services, `times of ${ticket.id}`, asked, {
        items: await findTimes(ctx, ticket.id),
        keyOf: (entry) => entry.id,
      });
    },
  });
}

function addTime(kind: TicketKind, TimeAdded: TimeEvent) {
  const { kind: name, plural, path, write } = kind;
  return command({
    id: `${plural}.add_time`,
    effect: "ordinary",
    route: `POST ${path}/{id}/times`,
    summary: `Add a time entry to ${article(name)}`,
    description: "Default: your own time, today. Set `userId` and `spentOn` for other entries.",
    permission: write,
    params: ticketParams(kind),
    body: object({
      minutes: TimeEntry.properties.minutes,
      note: Type.Optional(line(1_000)),
      spentOn: Type.Optional(TimeEntry.properties.spentOn),
      userId: Type.Optional(id("usr")),
    }),
    response: created(TimeEntry),
    emits: [TimeAdded],
    example: { params: { id: exampleRef(kind) }, body: { minutes: 25, note: "Read the logs" } },
    async run(ctx, { params: { id: ref }, body }) {
      const ticket = await getWorkedTicket(ctx, kind, ref);
      const createdBy = authorOf(ctx.caller);
      await assertReferencesExist(ctx, { users: { "/userId": body.userId } });
      const createdAt = ctx.now.toISOString();
      const entry: TimeEntry = {
        id: newId("tim", ctx.now.getTime()),
        ticketId: ticket.id,
        userId: body.userId ?? createdBy,
        minutes: body.minutes,
        spentOn: body.spentOn ?? createdAt.slice(0, 10),
        note: body.note ?? "",
        createdBy,
        createdAt,
      };
      await insertTime(ctx, kind, entry);
      ctx.emit(TimeAdded, ticketRefOf(ticket), entry);
      return entry;
    },
  });
}

function removeTime(kind: TicketKind, TimeRemoved: TimeEvent) {
  const { plural, path, write } = kind;
  return command({
    id: `${plural}.remove_time`,
    route: `DELETE ${path}/{id}/times/{timeId}`,
    summary: "Remove a time entry",
    permission: write,
    params: object({ ...ticketParams(kind).properties, timeId: id("tim") }),
    response: noContent(),
    emits: [TimeRemoved],
    example: { params: { id: exampleRef(kind), timeId: EXAMPLE } },
    async run(ctx, { params: { id: ref, timeId } }) {
      const ticket = await getWorkedTicket(ctx, kind, ref);
      ctx.expectRevision(ticket.revision);
      const [entry] = await findTimes(ctx, ticket.id, [timeId]);
      if (!entry) throw new Failure(NotFound);
      await ctx.send("delete from ticket_times where id = $1", [timeId]);
      ctx.emit(TimeRemoved, ticketRefOf(ticket), entry);
    },
  });
}

/** A ticket, for callers with read permission. Throws 403 for parties without it. */
async function getWorkedTicket(ctx: ReadContext, kind: TicketKind, ref: string) {
  const ticket = await getTicketIdentity(ctx, kind, ref);
  if (!seesOwnOnly(kind, ctx.caller)) return ticket;
  throw new Failure(Forbidden, {
    detail: "This requires permission to work on tickets of this kind.",
  });
}

const FIND = `
  select id, ticket_id as "ticketId", user_id as "userId", minutes, spent_on as "spentOn", note,
         created_by as "createdBy", created_at as "createdAt"
    from ticket_times where ticket_id = $1 and ($2::text[] is null or id = any ($2))
   order by id limit ${ENTRIES_MAX}`;

async function findTimes(
  { tx }: ReadContext,
  ticketId: string,
  ids: readonly string[] | null = null,
): Promise<readonly TimeEntry[]> {
  return queryRows<TimeEntry>(tx, FIND, [ticketId, ids]);
}
