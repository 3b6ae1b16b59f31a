import { type Selectable, sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { retentionJob, deleteAcrossWorkspaces } from "#kernel/work/retention-job.ts";
import type { Tables } from "../../tables.ts";
import type { Notification } from "./notification.ts";

const COLUMNS = [
  "id",
  "environment",
  "title",
  "body",
  "event_id",
  "event_type",
  "resource_type",
  "resource_id",
  "read_at",
  "revision",
  "created_at",
] as const;
type Row = Pick<Selectable<Tables["notifications"]>, (typeof COLUMNS)[number]>;

/** One message for several inboxes. */
export interface NewNotification {
  readonly recipients: readonly { readonly id: string; readonly userId: string }[];
  readonly title: string;
  readonly body: string;
  readonly eventId: string | null;
  readonly eventType: string | null;
  readonly resource: { readonly type: string; readonly id: string } | null;
  readonly now: Date;
}

/** Inserts a row for each recipient by one statement. */
export async function insert(tx: Tx, notification: NewNotification): Promise<void> {
  const { recipients, title, body, eventId, eventType, resource, now } = notification;
  await sql`
    insert into notifications
      (id, user_id, title, body, event_id, event_type, resource_type, resource_id, created_at)
    select r.id, r.user_id, ${title}, ${body}, ${eventId}::text, ${eventType}::text,
           ${resource?.type ?? null}::text, ${resource?.id ?? null}::text, ${now}::timestamptz
      from unnest(${recipients.map(({ id }) => id)}::text[],
                  ${recipients.map(({ userId }) => userId)}::text[]) as r (id, user_id)`.execute(
    tx,
  );
}

export async function get(tx: Tx, userId: string, id: string): Promise<Notification> {
  return assertFound(await byId(tx, userId, id).executeTakeFirst());
}

/** Locks the row until the transaction ends. */
export async function lock(tx: Tx, userId: string, id: string): Promise<Notification> {
  return assertFound(await byId(tx, userId, id).forUpdate().executeTakeFirst());
}

export async function setReadAt(tx: Tx, id: string, readAt: Date | null): Promise<Notification> {
  return toNotification(
    await tx
      .updateTable("notifications")
      .set({ read_at: readAt })
      .set((row) => ({ revision: row("revision", "+", 1) }))
      .where("id", "=", id)
      .returning(COLUMNS)
      .executeTakeFirstOrThrow(),
  );
}

/** Marks all notifications of a user as read; resolves to the previous number of unread ones. */
export async function markAllRead(tx: Tx, userId: string, now: Date): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable("notifications")
    .set({ read_at: now })
    .set((row) => ({ revision: row("revision", "+", 1) }))
    .where("user_id", "=", userId)
    .where("read_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("notifications").where("id", "=", id).execute();
}

export async function list(
  tx: Tx,
  userId: string,
  page: {
    readonly unread: boolean | undefined;
    readonly before: string | undefined;
    readonly limit: number;
  },
): Promise<Notification[]> {
  const { unread, before, limit } = page;
  let rows = tx.selectFrom("notifications").select(COLUMNS).where("user_id", "=", userId);
  if (unread !== undefined) rows = rows.where("read_at", unread ? "is" : "is not", null);
  if (before !== undefined) rows = rows.where("id", "<", before);
  return (await rows.orderBy("id", "desc").limit(limit).execute()).map(toNotification);
}

export async function countUnread(tx: Tx, userId: string): Promise<number> {
  const { n } = await tx
    .selectFrom("notifications")
    .select((row) => row.fn.countAll<number>().as("n"))
    .where("user_id", "=", userId)
    .where("read_at", "is", null)
    .executeTakeFirstOrThrow();
  return n;
}

function byId(tx: Tx, userId: string, id: string) {
  return tx
    .selectFrom("notifications")
    .select(COLUMNS)
    .where("id", "=", id)
    .where("user_id", "=", userId);
}

function assertFound(row: Row | undefined): Notification {
  if (!row) throw new Failure(NotFound);
  return toNotification(row);
}

function toNotification(row: Row): Notification {
  const { resource_type: type, resource_id: resourceId } = row;
  return {
    id: row.id,
    title: row.title,
    body: row.body,
    environment: row.environment,
    eventId: row.event_id,
    eventType: row.event_type,
    resource: type !== null && resourceId !== null ? { type, id: resourceId } : null,
    readAt: row.read_at,
    createdAt: row.created_at,
    revision: row.revision,
  };
}

const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;
const RETENTION_DAYS = 90;

const PRUNE = `
  delete from notifications where id in
    (select id from notifications where created_at < $1 order by created_at limit $2)`;

/** Old notifications, of all workspaces. */
export const notificationRetentionJob = retentionJob({
  kind: "notifications.prune",
  everyMs: HOUR_MS,
  remove: ({ db, clock }, rowsMax) =>
    deleteAcrossWorkspaces(db, PRUNE, [new Date(clock.nowMs() - RETENTION_DAYS * DAY_MS), rowsMax]),
});
