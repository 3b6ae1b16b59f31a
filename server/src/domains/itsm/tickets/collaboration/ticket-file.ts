/** Attachments of tickets: stored files, each attached to a ticket. */
import { holdsPermission } from "#kernel/access/permission.ts";
import Type, { type Static } from "typebox";
import {
  deleteFile,
  insertFile,
  attachFile,
  StoredFile,
  type StoredContent,
} from "#domains/files/index.ts";
import type { FileOwner } from "#kernel/contributions/file-owner.ts";
import type { PlatformServices, ReadContext, WriteContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { event, type EventType } from "#kernel/log/event.ts";
import { Failure, failure, NotFound } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { id, line, Time } from "#kernel/schema/schema.ts";
import { TICKET_KINDS, type TicketIdentity, type TicketKind, type TicketViewer } from "../kind.ts";
import { mergedTicketsSql } from "../references/merged-tickets.ts";
import { findTicketIdentities, ticketKinds, ticketRefOf } from "../ticket.ts";

const PER_TICKET_MAX = 50;

export const AttachmentId = id("att");

export const Attachment = Type.Object(
  {
    id: AttachmentId,
    ticketId: Type.String(),
    name: line(200),
    bytes: Type.Integer(),
    fileId: Type.Optional(
      id("file", "The file. Use it with `files.download`, `files.thumbnail` and other operations"),
    ),
    mediaType: Type.Optional(Type.String()),
    internal: Type.Optional(Type.Boolean({ description: "Visible only to agents" })),
    createdBy: Type.String(),
    createdAt: Time,
  },
  { title: "Attachment" },
);
export type Attachment = Static<typeof Attachment>;

export type AttachmentEvent = EventType<`${string}.${string}`, typeof Attachment>;

export const TooManyAttachments = failure(
  "too_many_attachments",
  409,
  `A ticket can have at most ${PER_TICKET_MAX} attachments.`,
);

const addedEvents = new Map<string, AttachmentEvent>();

/** The attachment event of a ticket kind, also used by other modules. */
export function attachmentAdded({ kind }: Pick<TicketKind, "kind">): AttachmentEvent {
  let added = addedEvents.get(kind);
  if (!added) {
    added = event(`${kind}.attachment_added`, {
      resource: kind,
      data: Attachment,
      summary: "A file was attached. The event does not contain its content.",
    });
    addedEvents.set(kind, added);
  }
  return added;
}

/** Stored content, or an upload of the caller. */
export type AttachmentSource = { readonly stored: StoredContent } | { readonly fileId: string };

/** Attaches a file to a ticket, and emits an event. */
export async function addTicketAttachment(
  ctx: WriteContext<AttachmentEvent>,
  { kind, ticket }: { readonly kind: TicketKind; readonly ticket: TicketIdentity },
  source: AttachmentSource,
  { internal = false }: { readonly internal?: boolean } = {},
): Promise<Attachment> {
  if ((await lockAndCount(ctx, kind, ticket.id)) >= PER_TICKET_MAX) {
    throw new Failure(TooManyAttachments);
  }
  const resource = { type: kind.kind, id: ticket.id, internal };
  const file =
    "stored" in source
      ? await insertFile(ctx, source.stored, { attachedTo: resource })
      : await attachFile(ctx, { fileId: source.fileId, resource });
  const attachment = {
    ...toAttachmentFields(file),
    id: newId("att", ctx.now.getTime()),
    ticketId: ticket.id,
    internal,
    createdAt: ctx.now.toISOString(),
  };
  void ctx.send(
    `insert into ticket_attachments (id, kind, ticket_id, name, bytes, file_id, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [attachment.id, kind.kind, ticket.id, file.name, file.size, file.id, file.createdBy, ctx.now],
  );
  ctx.emit(attachmentAdded(kind), ticketRefOf(ticket), attachment);
  return attachment;
}

function toAttachmentFields({ id: fileId, name, size, mediaType, createdBy }: StoredFile) {
  return { name, bytes: size, fileId, mediaType, createdBy };
}

/** Locks a ticket against concurrent attachments, and counts its attachments. */
async function lockAndCount(
  { tx }: ReadContext,
  { table }: TicketKind,
  ticketId: string,
): Promise<number> {
  const [, [row]] = await Promise.all([
    queryRows(tx, `select from ${table} where id = $1 for no key update`, [ticketId]),
    queryRows(tx, "select count(*) as n from ticket_attachments where ticket_id = $1", [ticketId]),
  ]);
  return Number(row?.["n"]);
}

const FIND = `
  select a.id, a.ticket_id as "ticketId", a.name, a.bytes::float8 as bytes, a.file_id as "fileId",
         f.media_type as "mediaType", f.internal, a.created_by as "createdBy", a.created_at as "createdAt"
    from ticket_attachments a join files f on f.id = a.file_id
   where ($2 or not f.internal) and (a.ticket_id = $1 or ($2 and a.ticket_id = any (array(
           ${mergedTicketsSql("$1")}))))`;

/** Finds the attachments visible to the viewer, in order. */
export async function findAttachments(
  { tx, caller }: ReadContext,
  kind: TicketKind,
  ticketId: string,
): Promise<readonly Attachment[]> {
  return queryRows<Attachment>(tx, `${FIND} order by a.id`, [ticketId, seesInternal(kind, caller)]);
}

/** One attachment. Throws 404 if it does not exist. */
export async function getTicketAttachment(
  { tx, caller }: ReadContext,
  kind: TicketKind,
  { ticketId, attachmentId }: { readonly ticketId: string; readonly attachmentId: string },
): Promise<Attachment & { readonly fileId: string }> {
  const values = [ticketId, seesInternal(kind, caller), attachmentId];
  const [row] = await queryRows<Attachment & { readonly fileId: string }>(
    tx,
    `${FIND} and a.id = $3`,
    values,
  );
  if (!row) throw new Failure(NotFound);
  return row;
}

/** Removes an attachment and its file. */
export async function deleteAttachment(
  ctx: WriteContext<never>,
  { id: attachmentId, fileId }: { readonly id: string; readonly fileId: string },
): Promise<void> {
  const rows = await ctx.send("delete from ticket_attachments where id = $1 returning id", [
    attachmentId,
  ]);
  if (rows.length === 0) throw new Failure(NotFound);
  await deleteFile(ctx, fileId);
}

function seesInternal({ write }: TicketKind, { permissions }: TicketViewer): boolean {
  return permissions.has(write.name);
}

/** Files of a ticket are readable by its readers; internal files by agents only. */
export const ticketFileOwners: readonly FileOwner[] = TICKET_KINDS.map((type) => ({
  type,
  async canRead(ctx, { attachedId, internal }) {
    const kind = findKind(ctx.services, type);
    if (!kind || !holdsPermission(ctx.caller.permissions, kind.read)) return false;
    if (internal && !seesInternal(kind, ctx.caller)) return false;
    const [ticket] = await findTicketIdentities(ctx.tx, kind, [attachedId]);
    return ticket !== undefined && kind.canSee?.(ctx.caller, ticket) !== false;
  },
}));

function findKind(services: PlatformServices, name: string): TicketKind | undefined {
  return ticketKinds(services).find(({ kind }) => kind === name);
}
