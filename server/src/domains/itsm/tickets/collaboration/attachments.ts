import { authorOf } from "#kernel/access/caller.ts";
import Type from "typebox";
import { queryRows } from "#kernel/db/statement.ts";
import { event, type EventType } from "#kernel/log/event.ts";
import { Failure, failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import type { Operation, ReadContext } from "#kernel/contract.ts";
import { pageOfItems, pageQuery } from "#kernel/operation/pagination.ts";
import { created, download, noContent, page } from "#kernel/operation/response.ts";
import { newId } from "#kernel/schema/id.ts";
import { id, line, object, Time } from "#kernel/schema/schema.ts";
import { article, exampleRef, type TicketKind, ticketParams } from "../kind.ts";
import { getTicketIdentity, ticketRefOf } from "../ticket.ts";
import { commentsOf } from "./comments.ts";
import { linksOf } from "./links.ts";
import { timelineOf } from "./timeline.ts";
import { watchersOf } from "./watchers.ts";

const BYTES_MAX = 1_048_576;
/** JSON writes some characters as six. */
const BODY_BYTES_MAX = 6 * BYTES_MAX + 10_000;
const PER_TICKET_MAX = 50;
const MEDIA_TYPE = "text/plain";

const AttachmentId = id("att");
const EXAMPLE = "att_01jzt3n5k8q2x4v6w8y0z2b4d6";

const Attachment = Type.Object(
  {
    id: AttachmentId,
    ticketId: Type.String(),
    name: line(200),
    bytes: Type.Integer(),
    createdBy: Type.String(),
    createdAt: Time,
  },
  { title: "Attachment" },
);

const TooManyAttachments = failure(
  "too_many_attachments",
  409,
  `A ticket has at most ${PER_TICKET_MAX} attachments.`,
);
const AttachmentTooLarge = failure("attachment_too_large", 413, "An attachment is at most 1 MiB.");

const COLUMNS = ["id", "ticket_id", "name", "bytes", "created_by", "created_at"] as const;

/** Texts, such as logs, that belong to one kind of ticket. */
function attachmentsOf(kind: TicketKind) {
  const { kind: name } = kind;
  const about = { resource: name, data: Attachment };
  const AttachmentAdded = event(`${name}.attachment_added`, {
    ...about,
    summary: "A text was attached to it. What it says is not told.",
  });
  const AttachmentRemoved = event(`${name}.attachment_removed`, {
    ...about,
    summary: "What was attached to it was removed.",
  });
  return {
    events: [AttachmentAdded, AttachmentRemoved],
    operations: [
      addAttachment(kind, AttachmentAdded),
      listAttachments(kind),
      getAttachment(kind),
      removeAttachment(kind, AttachmentRemoved),
    ],
  };
}

type AttachmentEvent = EventType<`${string}.${string}`, typeof Attachment>;

function attachmentParams(kind: TicketKind) {
  return object({ ...ticketParams(kind).properties, attachmentId: AttachmentId });
}

function addAttachment(kind: TicketKind, AttachmentAdded: AttachmentEvent) {
  const { kind: name, plural, path, write } = kind;
  return command({
    id: `${plural}.add_attachment`,
    route: `POST ${path}/{id}/attachments`,
    summary: `Attach a text to ${article(name)}, such as a log`,
    description: "Up to 1 MiB of UTF-8.",
    permission: write,
    params: ticketParams(kind),
    body: object({
      name: line(200, "Of the file"),
      content: Type.String({ maxLength: BYTES_MAX }),
    }),
    bodyBytesMax: BODY_BYTES_MAX,
    response: created(Attachment),
    emits: [AttachmentAdded],
    fails: [TooManyAttachments, AttachmentTooLarge],
    example: {
      params: { id: exampleRef(kind) },
      body: { name: "router.log", content: "12:04:07 link down" },
    },
    async run(ctx, { params: { id: ref }, body: { name: fileName, content } }) {
      const bytes = Buffer.byteLength(content);
      if (bytes > BYTES_MAX) throw new Failure(AttachmentTooLarge);
      if (content.includes("\u0000") || !content.isWellFormed()) {
        throw invalidField("/content", "must be text");
      }
      const ticket = await getTicketIdentity(ctx, kind, ref);
      if ((await lockAndCount(ctx, kind, ticket.id)) >= PER_TICKET_MAX) {
        throw new Failure(TooManyAttachments);
      }
      const attachment = {
        id: newId("att", ctx.now.getTime()),
        ticketId: ticket.id,
        name: fileName,
        bytes,
        createdBy: authorOf(ctx.caller),
        createdAt: ctx.now.toISOString(),
      };
      void ctx.send(
        `insert into ticket_attachments
           (id, kind, ticket_id, name, bytes, content, created_by, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [attachment.id, name, ticket.id, fileName, bytes, content, attachment.createdBy, ctx.now],
      );
      ctx.emit(AttachmentAdded, ticketRefOf(ticket), attachment);
      return attachment;
    },
  });
}

/** Locks a ticket, so that nobody else attaches to it, and counts its attachments. */
async function lockAndCount(
  { tx }: ReadContext,
  { table }: TicketKind,
  id: string,
): Promise<number> {
  const [, [row]] = await Promise.all([
    queryRows(tx, `select from ${table} where id = $1 for no key update`, [id]),
    queryRows(tx, "select count(*) as n from ticket_attachments where ticket_id = $1", [id]),
  ]);
  return Number(row?.["n"]);
}

function listAttachments(kind: TicketKind) {
  const { kind: name, plural, path, read } = kind;
  return query({
    id: `${plural}.list_attachments`,
    route: `GET ${path}/{id}/attachments`,
    summary: `List what is attached to ${article(name)}`,
    permission: read,
    params: ticketParams(kind),
    query: object(pageQuery),
    response: page(Attachment),
    example: { params: { id: exampleRef(kind) } },
    async run(ctx, { params: { id: ref }, query: asked }) {
      const ticket = await getTicketIdentity(ctx, kind, ref);
      const rows = await ctx.tx
        .selectFrom("ticket_attachments")
        .select(COLUMNS)
        .where("ticket_id", "=", ticket.id)
        .orderBy("id")
        .execute();
      return pageOfItems(ctx.services, `attachments of ${ticket.id}`, asked, {
        items: rows.map(toAttachment),
        keyOf: (attachment) => attachment.id,
      });
    },
  });
}

function getAttachment(kind: TicketKind) {
  const { plural, path, read } = kind;
  return query({
    id: `${plural}.get_attachment`,
    route: `GET ${path}/{id}/attachments/{attachmentId}`,
    summary: "Download what is attached",
    permission: read,
    params: attachmentParams(kind),
    response: download(MEDIA_TYPE),
    example: { params: { id: exampleRef(kind), attachmentId: EXAMPLE } },
    async run(ctx, { params: { id: ref, attachmentId } }) {
      const ticket = await getTicketIdentity(ctx, kind, ref);
      const row = await ctx.tx
        .selectFrom("ticket_attachments")
        .select(["name", "content"])
        .where("id", "=", attachmentId)
        .where("ticket_id", "=", ticket.id)
        .executeTakeFirst();
      if (!row) throw new Failure(NotFound);
      return { mediaType: MEDIA_TYPE, fileName: row.name, chunks: streamText(row.content) };
    },
  });
}

function removeAttachment(kind: TicketKind, AttachmentRemoved: AttachmentEvent) {
  const { plural, path, write } = kind;
  return command({
    id: `${plural}.remove_attachment`,
    route: `DELETE ${path}/{id}/attachments/{attachmentId}`,
    summary: "Remove what is attached",
    permission: write,
    params: attachmentParams(kind),
    response: noContent(),
    emits: [AttachmentRemoved],
    example: { params: { id: exampleRef(kind), attachmentId: EXAMPLE } },
    async run(ctx, { params: { id: ref, attachmentId } }) {
      const ticket = await getTicketIdentity(ctx, kind, ref);
      ctx.expectRevision(ticket.revision);
      const row = await ctx.tx
        .deleteFrom("ticket_attachments")
        .where("id", "=", attachmentId)
        .where("ticket_id", "=", ticket.id)
        .returning(COLUMNS)
        .executeTakeFirst();
      if (!row) throw new Failure(NotFound);
      ctx.emit(AttachmentRemoved, ticketRefOf(ticket), toAttachment(row));
    },
  });
}

async function* streamText(content: string): AsyncIterable<string> {
  yield content;
}

interface AttachmentRow {
  readonly id: string;
  readonly ticket_id: string;
  readonly name: string;
  readonly bytes: number;
  readonly created_by: string;
  readonly created_at: string;
}

function toAttachment({ ticket_id, created_by, created_at, ...row }: AttachmentRow) {
  return { ...row, ticketId: ticket_id, createdBy: created_by, createdAt: created_at };
}

/** Comments, watchers, attachments, links and timeline of a kind; its domain adds them to its own. */
export function collaboration(kind: TicketKind): {
  readonly events: readonly EventType[];
  readonly operations: readonly Operation[];
} {
  const parts = [commentsOf, watchersOf, attachmentsOf, linksOf, timelineOf].map((of) => of(kind));
  return {
    events: parts.flatMap(({ events }): readonly EventType[] => events),
    operations: parts.flatMap(({ operations }): readonly Operation[] => operations),
  };
}
