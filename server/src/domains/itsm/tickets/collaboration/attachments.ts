import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import Type from "typebox";
import {
  FileAttached,
  fileContent,
  FileTooLarge,
  NotAttachable,
  openPartitionFile,
  QuotaExceeded,
  ShareExceeded,
  serveFile,
  storeFile,
} from "#domains/files/index.ts";
import { event, type EventType } from "#kernel/log/event.ts";
import { RangeNotSatisfiable } from "#kernel/operation/byte-range.ts";
import { Failure, failure, Forbidden, invalidField } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import type { Operation, Platform } from "#kernel/contract.ts";
import { pageOfItems, pageQuery } from "#kernel/operation/pagination.ts";
import { created, noContent, page } from "#kernel/operation/response.ts";
import { id, line, object } from "#kernel/schema/schema.ts";
import { article, exampleRef, type TicketKind, ticketParams } from "../kind.ts";
import { assertMayTalk } from "../askers/party.ts";
import { getTicketIdentity, ticketRefOf } from "../ticket.ts";
import {
  addTicketAttachment,
  Attachment,
  attachmentAdded,
  type AttachmentEvent,
  AttachmentId,
  type AttachmentSource,
  deleteAttachment,
  findAttachments,
  getTicketAttachment,
  TooManyAttachments,
} from "./ticket-file.ts";
import { commentsOf } from "./comments.ts";
import { linksOf } from "./links.ts";
import { timelineOf } from "./timeline.ts";
import { timesOf } from "./times.ts";
import { watchersOf } from "./watchers.ts";

const BYTES_MAX = 1_048_576;
/** JSON can encode a character in six bytes. */
const BODY_BYTES_MAX = 6 * BYTES_MAX + 10_000;
const EXAMPLE = "att_01jzt3n5k8q2x4v6w8y0z2b4d6";

const AttachmentTooLarge = failure(
  "attachment_too_large",
  413,
  "Text content in the request can have at most 1 MiB. Upload larger content as a file.",
);

/** Files of one ticket kind. */
function attachmentsOf(kind: TicketKind) {
  const AttachmentAdded = attachmentAdded(kind);
  const AttachmentRemoved = event(`${kind.kind}.attachment_removed`, {
    resource: kind.kind,
    data: Attachment,
    summary: "An attachment was removed.",
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

function attachmentParams(kind: TicketKind) {
  return object({ ...ticketParams(kind).properties, attachmentId: AttachmentId });
}

const AttachmentInput = object({
  fileId: Type.Optional(id("file", "A file that you uploaded with `files.upload`")),
  name: Type.Optional(line(200, "Name of a text attachment")),
  content: Type.Optional(
    Type.String({ maxLength: BYTES_MAX, description: "At most 1 MiB of UTF-8" }),
  ),
  internal: Type.Optional(Type.Boolean({ description: "Visible only to agents. Default: false" })),
});

function addAttachment(kind: TicketKind, AttachmentAdded: AttachmentEvent) {
  const { kind: name, plural, path } = kind;
  return command({
    id: `${plural}.add_attachment`,
    effect: "ordinary",
    actsOutside: true,
    route: `POST ${path}/{id}/attachments`,
    summary: `Attach a file to ${article(name)}`,
    description:
      "To attach an upload, send `fileId`. To attach a short text, send `name` and `content`.",
    permission: kind.comment ?? kind.write,
    params: ticketParams(kind),
    body: AttachmentInput,
    bodyBytesMax: BODY_BYTES_MAX,
    response: created(Attachment),
    emits: [AttachmentAdded],
    fails: [
      TooManyAttachments,
      AttachmentTooLarge,
      FileAttached,
      NotAttachable,
      FileTooLarge,
      QuotaExceeded,
      ShareExceeded,
    ],
    example: {
      params: { id: exampleRef(kind) },
      body: { name: "router.log", content: "12:04:07 link down" },
    },
    async prepare(platform, { params: { id: ref }, body }, caller): Promise<AttachmentSource> {
      if (body.internal && !caller.permissions.has(kind.write.name)) {
        throw new Failure(Forbidden, {
          detail: `An internal attachment requires ${kind.write.name}.`,
        });
      }
      const { fileId, name: fileName, content } = body;
      if (fileId !== undefined) {
        if (content === undefined && fileName === undefined) return { fileId };
        throw invalidField("/fileId", "can't be combined with name and content");
      }
      if (fileName === undefined) throw invalidField("/name", "is required without a fileId");
      if (content === undefined) throw invalidField("/content", "is required without a fileId");
      const stored = await storeText(platform, caller, { kind, ref, name: fileName, content });
      return { stored };
    },
    async run(ctx, { params: { id: ref }, body: { internal } }, source) {
      const ticket = await getTicketIdentity(ctx, kind, ref);
      assertMayTalk(kind, ctx.caller, ticket);
      return addTicketAttachment(ctx, { kind, ticket }, source, { internal: internal ?? false });
    },
  });
}

interface TextInput {
  readonly kind: TicketKind;
  readonly ref: string;
  readonly name: string;
  readonly content: string;
}

/** Stores a text after checking that the ticket exists. */
async function storeText(
  platform: Platform,
  caller: Caller,
  { kind, ref, name, content }: TextInput,
) {
  const bytes = Buffer.from(content);
  if (bytes.length > BYTES_MAX) throw new Failure(AttachmentTooLarge);
  const partition = partitionOfCaller(caller);
  await platform.db.read(partition, (tx) =>
    getTicketIdentity({ tx, now: platform.clock.now(), caller, services: platform }, kind, ref),
  );
  return storeFile(platform, partition, [bytes], { name });
}

function listAttachments(kind: TicketKind) {
  const { kind: name, plural, path, read } = kind;
  return query({
    id: `${plural}.list_attachments`,
    route: `GET ${path}/{id}/attachments`,
    summary: `List attachments of ${article(name)}`,
    permission: read,
    params: ticketParams(kind),
    query: object(pageQuery),
    response: page(Attachment),
    example: { params: { id: exampleRef(kind) } },
    async run(ctx, { params: { id: ref }, query: asked }) {
      const ticket = await getTicketIdentity(ctx, kind, ref);
      return pageOfItems(ctx.services, `attachments of ${ticket.id}`, asked, {
        items: await findAttachments(ctx, kind, ticket.id),
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
    summary: "Download an attachment",
    permission: read,
    params: attachmentParams(kind),
    readsRange: true,
    response: fileContent("application/octet-stream"),
    fails: [RangeNotSatisfiable],
    example: { params: { id: exampleRef(kind), attachmentId: EXAMPLE } },
    async prepare(platform, { params: { id: ref, attachmentId } }, caller) {
      const partition = partitionOfCaller(caller);
      const { fileId } = await platform.db.read(partition, async (tx) => {
        const ctx = { tx, now: platform.clock.now(), caller, services: platform };
        const ticket = await getTicketIdentity(ctx, kind, ref);
        return getTicketAttachment(ctx, kind, { ticketId: ticket.id, attachmentId });
      });
      const opened = await openPartitionFile(platform, partition, fileId);
      return serveFile(opened, caller.conditions ?? {}, { asAttachment: true });
    },
    run: async (_, __, served) => served,
  });
}

function removeAttachment(kind: TicketKind, AttachmentRemoved: AttachmentEvent) {
  const { plural, path, write } = kind;
  return command({
    id: `${plural}.remove_attachment`,
    route: `DELETE ${path}/{id}/attachments/{attachmentId}`,
    summary: "Remove an attachment",
    permission: write,
    params: attachmentParams(kind),
    response: noContent(),
    emits: [AttachmentRemoved],
    example: { params: { id: exampleRef(kind), attachmentId: EXAMPLE } },
    async run(ctx, { params: { id: ref, attachmentId } }) {
      const ticket = await getTicketIdentity(ctx, kind, ref);
      ctx.expectRevision(ticket.revision);
      const attachment = await getTicketAttachment(ctx, kind, {
        ticketId: ticket.id,
        attachmentId,
      });
      await deleteAttachment(ctx, attachment);
      ctx.emit(AttachmentRemoved, ticketRefOf(ticket), attachment);
    },
  });
}

/**
 * Comments, watchers, attachments, links, timeline and times of a ticket kind. Its domain adds the operations to its
 * own.
 */
export function collaboration(kind: TicketKind): {
  readonly events: readonly EventType[];
  readonly operations: readonly Operation[];
} {
  const parts = [commentsOf, watchersOf, attachmentsOf, linksOf, timelineOf, timesOf].map((of) =>
    of(kind),
  );
  return {
    events: parts.flatMap(({ events }): readonly EventType[] => events),
    operations: parts.flatMap(({ operations }): readonly Operation[] => operations),
  };
}
