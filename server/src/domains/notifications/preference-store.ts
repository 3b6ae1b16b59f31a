import type { Selectable } from "kysely";
import { compilePattern } from "#kernel/condition/event-pattern.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { Tables } from "../../tables.ts";
import { DEFAULT_PREFERENCES, type Preferences } from "./notification.ts";

const COLUMNS = ["email", "no_email_for", "revision"] as const;
type Row = Pick<Selectable<Tables["notification_preferences"]>, (typeof COLUMNS)[number]>;

export async function get(tx: Tx, userId: string): Promise<Preferences> {
  const row = await byUser(tx, userId).executeTakeFirst();
  return row ? toPreferences(row) : DEFAULT_PREFERENCES;
}

/** Locks the row until the transaction ends; creates it if it does not exist. */
export async function lock(tx: Tx, userId: string, now: Date): Promise<Preferences> {
  await tx
    .insertInto("notification_preferences")
    .values({ user_id: userId, updated_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return toPreferences(await byUser(tx, userId).forUpdate().executeTakeFirstOrThrow());
}

export async function update(
  tx: Tx,
  userId: string,
  { email, noEmailFor, now }: Pick<Preferences, "email" | "noEmailFor"> & { readonly now: Date },
): Promise<Preferences> {
  const row = await tx
    .updateTable("notification_preferences")
    .set({ email, no_email_for: noEmailFor, updated_at: now })
    .set((row) => ({ revision: row("revision", "+", 1) }))
    .where("user_id", "=", userId)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return toPreferences(row);
}

interface MailSubject {
  readonly eventType: string | null;
  /** The members receive it although they turned e-mail off. */
  readonly isUrgent: boolean;
}

/** Filters the members who want an e-mail about an event type. */
export async function filterMailed(
  tx: Tx,
  userIds: readonly string[],
  { eventType, isUrgent }: MailSubject,
): Promise<ReadonlySet<string>> {
  const rows = await tx
    .selectFrom("notification_preferences")
    .select(["user_id", "email", "no_email_for"])
    .where((row) => row("user_id", "=", row.fn.any(row.val([...userIds]))))
    .execute();
  const unwanted = rows.filter(
    ({ email, no_email_for }) =>
      (!email && !isUrgent) || (eventType !== null && compilePattern(no_email_for)(eventType)),
  );
  const optedOut = new Set(unwanted.map(({ user_id }) => user_id));
  return new Set(userIds.filter((id) => !optedOut.has(id)));
}

function toPreferences({ no_email_for, ...row }: Row): Preferences {
  return { ...row, noEmailFor: no_email_for };
}

function byUser(tx: Tx, userId: string) {
  return tx.selectFrom("notification_preferences").select(COLUMNS).where("user_id", "=", userId);
}
