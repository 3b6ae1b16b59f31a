import { authorOf } from "#kernel/access/caller.ts";
import Type, { type Static } from "typebox";
import { findMembersWithPermission, findNamedMembers } from "#domains/identity/accounts/index.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { event } from "#kernel/log/event.ts";
import { Failure, Forbidden } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { created, page } from "#kernel/operation/response.ts";
import { id, nullable, object, text, Time } from "#kernel/schema/schema.ts";
import { article, exampleRef, type TicketKind, ticketParams } from "../kind.ts";
import { assertMayTalk } from "../askers/party.ts";
import { mergedTicketsSql } from "../references/merged-tickets.ts";
import { type FoundTicket, getTicketIdentity, ticketRefOf } from "../ticket.ts";

export const COMMENT_CHARACTERS_MAX = 50_000;

const Comment = Type.Object(
  {
    id: id("cmt"),
    ticketId: Type.String(),
    body: text(COMMENT_CHARACTERS_MAX),
    internal: Type.Boolean({ description: "Visible only to agents" }),
    createdBy: Type.String(),
    createdAt: Time,
  },
  { title: "Comment" },
);
type Comment = Static<typeof Comment>;

/** The data of a comment event. The log has many readers, so it does not contain internal texts. */
const CommentEventData = Type.Object(
  {
    ...Comment.properties,
    body: nullable(text(COMMENT_CHARACTERS_MAX, "Null for internal comments")),
    byAgent: Type.Optional(Type.Boolean({ description: "Whether the author is an agent" })),
    mentions: Type.Optional(
      Type.Array(Type.String(), { description: "The mentioned members who can view the ticket" }),
    ),
  },
  { title: "CommentData" },
);

export function commentsOf(kind: TicketKind) {
  const CommentAdded = commentAdded(kind);
  return {
    events: [CommentAdded],
    operations: [addComment(kind, CommentAdded), listComments(kind)],
  };
}

const eventTypes = new Map<string, ReturnType<typeof declareAdded>>();

/** The comment event of a ticket kind, declared once. */
function commentAdded({ kind }: TicketKind) {
  const known = eventTypes.get(kind) ?? declareAdded(kind);
  eventTypes.set(kind, known);
  return known;
}

function declareAdded(kind: string) {
  return event(`${kind}.comment_added`, {
    resource: kind,
    summary: "A comment was added. The event does not contain the text of internal comments.",
    data: CommentEventData,
  });
}

function addComment(kind: TicketKind, CommentAdded: ReturnType<typeof commentAdded>) {
  const { kind: name, plural, path } = kind;
  return command({
    id: `${plural}.add_comment`,
    effect: "ordinary",
    route: `POST ${path}/{id}/comments`,
    summary: `Comment on ${article(name)}`,
    permission: kind.comment ?? kind.write,
    params: ticketParams(kind),
    body: object({
      body: Type.String({ minLength: 1, maxLength: COMMENT_CHARACTERS_MAX, pattern: "\\S" }),
      internal: Type.Optional(
        Type.Boolean({ description: "Visible only to agents. Default: false" }),
      ),
    }),
    response: created(Comment),
    emits: [CommentAdded],
    example: {
      params: { id: exampleRef(kind) },
      body: { body: "The switch in rack 4 was replaced.", internal: false },
    },
    async run(ctx, { params: { id: ref }, body: { body, internal = false } }) {
      if (internal && !ctx.caller.permissions.has(kind.write.name)) {
        throw new Failure(Forbidden, {
          detail: `An internal comment requires ${kind.write.name}.`,
        });
      }
      const ticket = await getTicketIdentity(ctx, kind, ref);
      assertMayTalk(kind, ctx.caller, ticket);
      const byAgent = ctx.caller.permissions.has(kind.write.name);
      const mentions = await findMentioned(ctx, kind, { body, internal });
      return writeComment(ctx, { kind, ticket }, { body, internal, byAgent, mentions });
    },
  });
}

interface CommentInput {
  readonly body: string;
  readonly internal: boolean;
  readonly byAgent: boolean;
  readonly mentions?: readonly string[];
}

/** Adds a comment of the caller to a ticket, and emits its event. */
export function writeComment(
  ctx: WriteContext<ReturnType<typeof commentAdded>>,
  { kind, ticket }: FoundTicket,
  { body, internal, byAgent, mentions = [] }: CommentInput,
): Comment {
  const comment: Comment = {
    id: newId("cmt", ctx.now.getTime()),
    ticketId: ticket.id,
    body,
    internal,
    createdBy: authorOf(ctx.caller),
    createdAt: ctx.now.toISOString(),
  };
  void ctx.send(
    `insert into ticket_comments (id, kind, ticket_id, body, internal, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [comment.id, kind.kind, ticket.id, body, internal, comment.createdBy, ctx.now],
  );
  const named = mentions.length === 0 ? {} : { mentions: [...mentions] };
  const data = { ...comment, body: internal ? null : body, byAgent, ...named };
  ctx.emit(commentAdded(kind), ticketRefOf(ticket), data);
  return comment;
}

function listComments(kind: TicketKind) {
  const { kind: name, plural, path, read, write } = kind;
  return query({
    id: `${plural}.list_comments`,
    route: `GET ${path}/{id}/comments`,
    summary: `List comments on ${article(name)}, oldest first`,
    description: `Internal comments, and comments of merged duplicates, require \`${write.name}\`. \`ticketId\` is the ticket of the comment.`,
    permission: read,
    params: ticketParams(kind),
    query: object(pageQuery),
    response: page(Comment),
    example: { params: { id: exampleRef(kind) } },
    async run(ctx, { params: { id: ref }, query: { limit, after } }) {
      const { cursors } = ctx.services;
      const ticket = await getTicketIdentity(ctx, kind, ref);
      const list = `comments of ${ticket.id}`;
      const [from = ""] = after === undefined ? [] : cursors.decode(list, after);
      const includeInternal = ctx.caller.permissions.has(write.name);
      const rows = await queryComments(ctx.tx, ticket.id, {
        from: String(from),
        limit,
        includeInternal,
      });
      return toPage(rows, limit, toComment, (row) => cursors.encode(list, [row.id]));
    },
  });
}

/** Reads one comment more than the page size. */
function queryComments(
  tx: Tx,
  ticketId: string,
  { from, limit, includeInternal }: { from: string; limit: number; includeInternal: boolean },
) {
  const all = tx
    .selectFrom("ticket_comments")
    .select(["id", "ticket_id", "body", "internal", "created_by", "created_at"])
    .where(
      "ticket_id",
      "=",
      includeInternal
        ? // Comments on duplicates are visible to agents only.
          sql<string>`any (array(${mergedTickets(ticketId)}))`
        : ticketId,
    )
    .where("id", ">", from);
  const seen = includeInternal ? all : all.where("internal", "=", false);
  return seen
    .orderBy("id")
    .limit(limit + 1)
    .execute();
}

/** A ticket and its duplicates. */
function mergedTickets(ticketId: string) {
  const [before = "", after = ""] = mergedTicketsSql("$1").split("$1");
  return sql`${sql.raw(before)}${ticketId}${sql.raw(after)}`;
}

type CommentRow = Awaited<ReturnType<typeof queryComments>>[number];

function toComment({ ticket_id, created_by, created_at, ...row }: CommentRow): Comment {
  return { ...row, ticketId: ticket_id, createdBy: created_by, createdAt: created_at };
}

const MENTIONS_MAX = 20;

/** Finds the mentioned members who can read a comment. */
async function findMentioned(
  ctx: Pick<ReadContext, "tx" | "services">,
  { write, reporting }: Pick<TicketKind, "write" | "reporting">,
  { body, internal }: { readonly body: string; readonly internal: boolean },
): Promise<string[]> {
  const named = await findNamedMembers(ctx, body);
  if (named.length === 0) return [];
  const permission = internal ? write : reporting.permission;
  const readers = await findMembersWithPermission(ctx, permission, [...named]);
  return named.filter((id) => readers.has(id)).slice(0, MENTIONS_MAX);
}
