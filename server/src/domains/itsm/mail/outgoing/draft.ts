/** Collects the data for a ticket mail when sending it. */
import type { Platform } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { publicUrl } from "#kernel/settings.ts";
import { findPersonNames } from "../../contacts/index.ts";
import type { FoundTicket } from "../../tickets/index.ts";
import type { StoredMailbox } from "../mailbox.ts";
import { findThreadIds } from "../messages/store.ts";
import { findTicketMailbox } from "./mailbox-of-ticket.ts";
import { findRecipient, type Recipient } from "./recipient.ts";
import type { TicketMailPayload } from "./payload.ts";
import type { TicketChange } from "./words.ts";

export interface TicketMailDraft {
  readonly found: FoundTicket;
  readonly recipient: Recipient;
  readonly mailbox: StoredMailbox;
  readonly change: TicketChange;
  readonly link: string;
  readonly threadIds: readonly string[];
  readonly fileIds: readonly string[];
  /** False for text written by a person. */
  readonly isAutomatic: boolean;
}

/** Undefined if there is nothing to send, or the recipient may no longer see it. */
export async function readDraft(
  { tx, services }: { readonly tx: Tx; readonly services: Platform },
  payload: TicketMailPayload,
): Promise<TicketMailDraft | undefined> {
  const { ticketId, recipientId, eventType, commentId, environment } = payload;
  const match = await findRecipient({ tx, services }, ticketId, recipientId);
  if (!match) return undefined;
  const { found, recipient } = match;
  const mailbox = await findTicketMailbox(tx, found.ticket);
  if (!mailbox) return undefined;
  const verb = eventType.slice(eventType.indexOf(".") + 1);
  if (verb === "created" && !(await wantsAcknowledgement(tx, ticketId))) return undefined;
  const comment = commentId === undefined ? undefined : await findComment(tx, commentId);
  if (commentId !== undefined && !comment) return undefined;
  if (comment?.internal && !recipient.isAgent) return undefined;
  const names = comment ? await findPersonNames(tx, [comment.createdBy]) : new Map();
  return {
    found,
    recipient,
    mailbox,
    change: {
      verb,
      ticket: found.ticket,
      text: comment?.body ?? payload.text ?? "",
      author: comment ? String(names.get(comment.createdBy) ?? "") : "",
    },
    link: buildLink(services, { found, recipient, environment, slug: await readSlug(tx) }),
    threadIds: await findThreadIds(tx, ticketId),
    fileIds: comment && !comment.internal ? await findFiles(tx, ticketId, comment) : [],
    isAutomatic: comment === undefined,
  };
}

/** The page of a ticket: in the console for agents, in the portal for requesters. */
function buildLink(
  services: Platform,
  about: {
    readonly found: FoundTicket;
    readonly recipient: Recipient;
    readonly environment: string;
    readonly slug: string;
  },
): string {
  const { found, recipient, environment, slug } = about;
  const path = recipient.isAgent ? "/tickets" : "/portal/tickets";
  const place = new URLSearchParams({
    workspace: slug,
    ...(environment !== "production" && { environment }),
  });
  return `${publicUrl(services)}${path}/${found.ticket.number}?${place}`;
}

/** The mail that created the ticket decides if it is acknowledged. Other tickets always are. */
async function wantsAcknowledgement(tx: Tx, ticketId: string): Promise<boolean> {
  const [row] = await queryRows(
    tx,
    "select acknowledged from mails where ticket_id = $1 order by id limit 1",
    [ticketId],
  );
  return row === undefined || row["acknowledged"] === true;
}

interface CommentRow {
  readonly body: string;
  readonly internal: boolean;
  readonly createdBy: string;
  readonly createdAt: string;
}

async function findComment(tx: Tx, id: string): Promise<CommentRow | undefined> {
  const [row] = await queryRows<CommentRow>(
    tx,
    `select body, internal, created_by as "createdBy", created_at as "createdAt"
       from ticket_comments where id = $1`,
    [id],
  );
  return row;
}

const FILES_MAX = 20;

/** Files attached by the comment's author since the previous comment. */
async function findFiles(
  tx: Tx,
  ticketId: string,
  comment: CommentRow,
): Promise<readonly string[]> {
  const rows = await queryRows(
    tx,
    `select f.id from files f
      where f.attached_id = $1 and not f.internal and f.created_by = $2
        and f.created_at > coalesce((select max(c.created_at) from ticket_comments c
                                      where c.ticket_id = $1 and c.created_at < $3 and not c.internal), '-infinity')
      order by f.id limit ${FILES_MAX}`,
    [ticketId, comment.createdBy, comment.createdAt],
  );
  return rows.map(({ id }) => String(id));
}

async function readSlug(tx: Tx): Promise<string> {
  const [row] = await queryRows(
    tx,
    "select slug from workspaces where key = current_setting('millrace.workspace')::uuid",
    [],
  );
  const slug = row?.["slug"];
  return typeof slug === "string" ? slug : "";
}
