import Type from "typebox";
import {
  ActorSchema,
  EVENT_ID_PATTERN,
  type LogPosition,
  positionOf,
  type RecordedEvent,
} from "#kernel/log/event.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { queryEvents } from "#kernel/log/event-log.ts";
import { query } from "#kernel/operation/operation.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { listUndoable } from "#kernel/undo/separable.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { page } from "#kernel/operation/response.ts";
import { object, Time } from "#kernel/schema/schema.ts";
import { article, exampleRef, type TicketKind, ticketParams } from "../kind.ts";
import { eventForParty, seesOwnOnly } from "../askers/party.ts";
import { findDuplicateIds } from "../references/merged-tickets.ts";
import { getTicketIdentity } from "../ticket.ts";

const Moment = Type.Object(
  {
    eventId: Type.String({ pattern: EVENT_ID_PATTERN }),
    type: Type.String(),
    at: Time,
    actor: ActorSchema,
    changes: Type.Array(
      Type.Object({ field: Type.String(), from: Type.Unknown(), to: Type.Unknown() }),
      { description: "The changed fields. Only for updates" },
    ),
    undoable: Type.Boolean({
      description: "Whether `POST /undo` can revert it, if nothing has changed since then",
    }),
    data: Type.Record(Type.String(), Type.Unknown(), {
      description:
        "Data of the event, if it is not an update. Internal comments include their text if you can view them",
    }),
    duplicate: Type.Optional(
      Type.Object(
        { id: Type.String(), number: Type.String() },
        { description: "The incident of the event, if it was merged into this one" },
      ),
    ),
  },
  { title: "TimelineItem" },
);

/** The timeline of tickets of one kind, read from the event log. */
export function timelineOf(kind: TicketKind) {
  const { kind: name, plural, path, read, write } = kind;
  const getTimeline = query({
    id: `${plural}.get_timeline`,
    route: `GET ${path}/{id}/timeline`,
    summary: `List the timeline of ${article(name)}, newest first`,
    permission: read,
    params: ticketParams(kind),
    query: object(pageQuery),
    response: page(Moment),
    example: { params: { id: exampleRef(kind) } },
    prepare: async ({ contributions, operations }) => ({ contributions, operations }),
    async run(ctx, { params: { id: ref }, query: { limit, after } }, platform) {
      const ticket = await getTicketIdentity(ctx, kind, ref);
      const before = after === undefined ? undefined : positionOf(after);
      if (after !== undefined && !before)
        throw invalidField("?after", "is not a valid cursor for this list");
      const filter = { resourceType: name, resourceId: ticket.id, before };
      const includeInternal = ctx.caller.permissions.has(write.name);
      const own = await queryEvents(ctx.tx, filter, limit + 1);
      const ofDuplicates =
        includeInternal && kind.kind === "incident"
          ? await queryDuplicates(ctx, ticket.id, { before, limit: limit + 1 })
          : [];
      // Event ids sort in log order.
      const found = [...own, ...ofDuplicates]
        .toSorted((one, other) => (one.id < other.id ? 1 : -1))
        .slice(0, limit + 1);
      const bodies = includeInternal ? await internalBodies(ctx, found) : undefined;
      const seen = seesOwnOnly(kind, ctx.caller)
        ? found.flatMap((event) => eventForParty(kind, event) ?? [])
        : found;
      const visible = seen.filter(({ data }) => includeInternal || data["internal"] !== true);
      const currentPage = toPage(
        found,
        limit,
        (event) => event,
        (event) => event.id,
      );
      const ids = new Set(currentPage.data.map(({ id }) => id));
      const data = visible.filter((event) => ids.has(event.id));
      const undoable = listUndoable(platform, found);
      return {
        ...currentPage,
        data: data.map((event) => ({
          ...toMoment(event, ticket.id, bodies),
          undoable: undoable.has(event.id),
        })),
      };
    },
  });
  return { events: [], operations: [getTimeline] };
}

/** The texts of internal comments among these events. The log does not contain them. */
async function internalBodies(
  { tx }: ReadContext,
  events: readonly RecordedEvent[],
): Promise<ReadonlyMap<unknown, string>> {
  const ids = events
    .filter(({ data }) => data["internal"] === true)
    .map(({ data }) => String(data["id"]));
  if (ids.length === 0) return new Map();
  const rows = await tx
    .selectFrom("ticket_comments")
    .select(["id", "body"])
    .where("id", "in", ids)
    .execute();
  return new Map(rows.map(({ id, body }) => [id, body]));
}

/** Reads the texts and files of the duplicates of an incident, for agents. */
async function queryDuplicates(
  { tx }: ReadContext,
  ticketId: string,
  { before, limit }: { readonly before: LogPosition | undefined; readonly limit: number },
): Promise<RecordedEvent[]> {
  const resourceIds = await findDuplicateIds(tx, ticketId);
  if (resourceIds.length === 0) return [];
  const type = "^incident\\.(created|comment_added|attachment_added)$";
  return queryEvents(tx, { resourceType: "incident", resourceIds, type, before }, limit);
}

function toMoment(
  { id: eventId, type, createdAt, actor, data, resource }: RecordedEvent,
  ticketId: string,
  bodies: ReadonlyMap<unknown, string> | undefined,
) {
  const of = { id: resource.id, number: resource.number ?? resource.id };
  const about = {
    eventId,
    type,
    at: createdAt,
    actor,
    ...(resource.id !== ticketId && { duplicate: of }),
  };
  const { before, after, changes } = data as {
    readonly before?: Readonly<Record<string, unknown>>;
    readonly after?: Readonly<Record<string, unknown>>;
    readonly changes?: readonly string[];
  };
  if (before && after && changes) {
    const fieldChanges = changes.map((field) => ({
      field,
      from: before[field] ?? null,
      to: after[field] ?? null,
    }));
    return { ...about, changes: fieldChanges, data: {} };
  }
  const body = bodies?.get(data["id"]);
  return { ...about, changes: [], data: body === undefined ? data : { ...data, body } };
}
