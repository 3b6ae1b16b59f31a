/** Record comments. Members can read them if table access rules allow reading the record. */
import {
  findMembersWithPermission,
  findNamedMembers,
  readPrincipals,
} from "#domains/identity/accounts/index.ts";
import { notify, NotificationSent } from "#domains/notifications/index.ts";
import {
  type OpenTable,
  openTable,
  resolveGrants,
  Slug,
  visibleFields,
  withReferences,
} from "#domains/tables/index.ts";
import { authorOf } from "#kernel/access/caller.ts";
import type { Operation, ReadContext, WriteContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Failure, failure, Forbidden, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageQuery, toPage } from "#kernel/operation/pagination.ts";
import { created, item, noContent, page, withRevision } from "#kernel/operation/response.ts";
import { newId } from "#kernel/schema/id.ts";
import { object } from "#kernel/schema/schema.ts";
import { aboutRecordData, recordRef } from "../events.ts";
import { RecordsRead, RecordsWrite } from "../permissions.ts";
import { assertVisible } from "../record-access.ts";
import { recordStatements } from "../record-statements.ts";
import { NoSuchRecord, RecordId, type TableRecord, toStoredRecord } from "../record.ts";
import {
  CommentBody,
  CommentId,
  type CommentRow,
  RecordComment,
  RecordCommentAdded,
  RecordCommentDeleted,
  RecordCommentEdited,
  toComment,
} from "./comment.ts";

const COMMENTS_MAX = 2_000;
const MENTIONS_MAX = 20;
const MANAGE_PERMISSION = "tables:write";

const TooManyComments = failure(
  "too_many_comments",
  409,
  `A record can have at most ${COMMENTS_MAX} comments.`,
);

const params = object({ slug: Slug, recordId: RecordId });
const commentParams = object({ slug: Slug, recordId: RecordId, commentId: CommentId });
const EXAMPLE = { slug: "orders", recordId: "rec_01jzt3n5k8q2x4v6w8y0z2b4d6" };
const COMMENT_EXAMPLE = { ...EXAMPLE, commentId: "rcm_01jzt3n5k8q2x4v6w8y0z2b4d6" };

const listComments = query({
  id: "record_comments.list",
  route: "GET /api/v1/tables/{slug}/records/{recordId}/comments",
  summary: "List comments on a record, oldest first",
  permission: RecordsRead,
  params,
  query: object(pageQuery),
  response: page(withRevision(RecordComment)),
  example: { params: EXAMPLE, query: { limit: 50 } },
  async run(ctx, { params: { slug, recordId }, query: { limit, after } }) {
    const { table } = await openRecord(ctx, slug, recordId);
    const { cursors } = ctx.services;
    const list = `comments on ${recordId}`;
    const [start = ""] = after === undefined ? [] : cursors.decode(list, after);
    const rows = await queryRows<CommentRow>(
      ctx.tx,
      "select * from record_comments where table_id = $1 and record_id = $2 and id > $3 order by id limit $4",
      [table.schema.id, recordId, start, limit + 1],
    );
    return toPage(rows, limit, toComment, ({ id }) => cursors.encode(list, [id]));
  },
});

/** Opens a visible record, or throws a 404. */
async function openRecord(
  ctx: ReadContext,
  slug: string,
  recordId: string,
): Promise<{ readonly table: OpenTable; readonly record: TableRecord }> {
  const table = await openTable(ctx, slug);
  const { schema } = table;
  const text = `select ${recordStatements(schema).all} from ${schema.view} where id = $1`;
  const [row] = await table.retryOnSchemaChange(() => queryRows(ctx.tx, text, [recordId]));
  if (!row) throw new Failure(NoSuchRecord);
  const { record } = toStoredRecord(schema, row);
  await assertVisible(table, record);
  return { table, record };
}

const addComment = command({
  id: "record_comments.add",
  effect: "ordinary",
  route: "POST /api/v1/tables/{slug}/records/{recordId}/comments",
  summary: "Comment on a record",
  description: "Mentioned members who can view the record are notified.",
  permission: RecordsWrite,
  params,
  body: object({ body: CommentBody }),
  response: created(RecordComment),
  emits: [RecordCommentAdded, NotificationSent],
  fails: [TooManyComments],
  example: { params: EXAMPLE, body: { body: "@ada, is this paid?" } },
  async run(ctx, { params: { slug, recordId }, body: { body } }) {
    const { table, record } = await openRecord(ctx, slug, recordId);
    const [count] = await queryRows(
      ctx.tx,
      "select count(*)::int as n from record_comments where table_id = $1 and record_id = $2",
      [table.schema.id, recordId],
    );
    if (Number(count?.["n"]) >= COMMENTS_MAX) throw new Failure(TooManyComments);
    const mentions = await findReaders(ctx, table, record, body);
    const row: CommentRow = {
      id: newId("rcm", ctx.now.getTime()),
      record_id: recordId,
      body,
      mentions,
      created_by: authorOf(ctx.caller),
      revision: 1,
      created_at: ctx.now.toISOString(),
      edited_at: null,
    };
    await ctx.send(
      `insert into record_comments (id, table_id, record_id, body, mentions, created_by, created_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [row.id, table.schema.id, recordId, body, mentions, row.created_by, ctx.now],
    );
    const { revision: _, ...comment } = toComment(row);
    const ref = recordRef(table.schema, record);
    const data = { ...aboutRecordData(table.schema, record), comment };
    ctx.emit(RecordCommentAdded, ref, data);
    await tellMentioned(ctx, mentions, { slug, recordId, body, name: ref.displayName ?? slug });
    return toComment(row);
  },
});

/** Returns the members who are mentioned in a text and may see the record. */
async function findReaders(
  ctx: WriteContext<never>,
  table: OpenTable,
  record: TableRecord,
  body: string,
): Promise<string[]> {
  const named = await findNamedMembers(ctx, body);
  if (named.length === 0) return [];
  const readers = await findMembersWithPermission(ctx, RecordsRead, [...named]);
  const person = await readPrincipals(ctx, named);
  const references = await table.loadReferences("read", [record]);
  return named
    .filter((userId) => {
      const grants = withReferences(
        resolveGrants(table.schema, "read", person(userId)),
        references,
      );
      return readers.has(userId) && visibleFields(grants, record) !== undefined;
    })
    .slice(0, MENTIONS_MAX);
}

/**
 * Notifies mentioned members, except the author. The text omits the title of the record, because its fields may be
 * hidden from some recipients.
 */
async function tellMentioned(
  ctx: WriteContext<typeof NotificationSent>,
  mentions: readonly string[],
  about: {
    readonly slug: string;
    readonly recordId: string;
    readonly body: string;
    readonly name: string;
  },
): Promise<void> {
  const userIds = mentions.filter((userId) => userId !== authorOf(ctx.caller));
  if (userIds.length === 0) return;
  await notify(ctx, {
    userIds,
    title: `You were mentioned in a comment in ${about.slug}`,
    body: about.body,
    about: { eventType: RecordCommentAdded.type, resource: { type: "record", id: about.recordId } },
    mail: { path: `/tables/${about.slug}?record=${about.recordId}` },
  });
}

const editComment = command({
  id: "record_comments.edit",
  effect: "ordinary",
  route: "PATCH /api/v1/tables/{slug}/records/{recordId}/comments/{commentId}",
  summary: "Update your comment",
  permission: RecordsWrite,
  params: commentParams,
  body: object({ body: CommentBody }),
  response: item(RecordComment),
  emits: [RecordCommentEdited],
  example: { params: COMMENT_EXAMPLE, body: { body: "It is paid." } },
  async run(ctx, { params: given, body: { body } }) {
    const { table, record, row } = await lockComment(ctx, given);
    ctx.expectRevision(row.revision);
    if (row.created_by !== authorOf(ctx.caller))
      throw new Failure(Forbidden, { detail: "You can only change your own comments." });
    const mentions = await findReaders(ctx, table, record, body);
    const after = {
      ...row,
      body,
      mentions,
      edited_at: ctx.now.toISOString(),
      revision: row.revision + 1,
    };
    await ctx.send(
      "update record_comments set body = $2, mentions = $3, edited_at = $4, revision = revision + 1 where id = $1",
      [row.id, body, mentions, ctx.now],
    );
    const { revision: _, ...comment } = toComment(after);
    ctx.emit(RecordCommentEdited, recordRef(table.schema, record), {
      ...aboutRecordData(table.schema, record),
      comment,
    });
    return toComment(after);
  },
});

async function lockComment(
  ctx: ReadContext,
  {
    slug,
    recordId,
    commentId,
  }: { readonly slug: string; readonly recordId: string; readonly commentId: string },
) {
  const { table, record } = await openRecord(ctx, slug, recordId);
  const [row] = await queryRows<CommentRow>(
    ctx.tx,
    "select * from record_comments where id = $1 and table_id = $2 and record_id = $3 for update",
    [commentId, table.schema.id, recordId],
  );
  if (!row) throw new Failure(NotFound);
  return { table, record, row: row };
}

const deleteComment = command({
  id: "record_comments.delete",
  route: "DELETE /api/v1/tables/{slug}/records/{recordId}/comments/{commentId}",
  summary: "Delete a comment",
  permission: RecordsWrite,
  params: commentParams,
  response: noContent(),
  emits: [RecordCommentDeleted],
  example: { params: COMMENT_EXAMPLE },
  async run(ctx, { params: given }) {
    const { table, record, row } = await lockComment(ctx, given);
    ctx.expectRevision(row.revision);
    const { caller } = ctx;
    if (row.created_by !== authorOf(caller) && !caller.permissions.has(MANAGE_PERMISSION)) {
      throw new Failure(Forbidden, { detail: "You can only delete your own comments." });
    }
    await ctx.send("delete from record_comments where id = $1", [row.id]);
    const { revision: _, ...comment } = toComment(row);
    ctx.emit(RecordCommentDeleted, recordRef(table.schema, record), {
      ...aboutRecordData(table.schema, record),
      comment,
    });
  },
});

export const commentOperations: readonly Operation[] = [
  listComments,
  addComment,
  editComment,
  deleteComment,
];
