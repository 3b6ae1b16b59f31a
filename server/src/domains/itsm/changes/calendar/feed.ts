/**
 * Calendar apps cannot authenticate. So a member can create a secret feed address. It is valid while the member can
 * see changes, and gives access to the calendar only.
 */
import { randomBytes } from "node:crypto";
import Type from "typebox";
import { findMembership } from "#domains/identity/accounts/index.ts";
import type { Platform } from "#kernel/contract.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { Partition } from "#kernel/db/database.ts";
import { event } from "#kernel/log/event.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { ChangesRead } from "../permissions.ts";

const TOKEN_BYTES = 32;

export const FeedToken = Type.String({ pattern: "^[A-Za-z0-9_-]{43}$" });

const FeedData = Type.Object({ userId: Type.String() }, { title: "CalendarFeedData" });

export const FeedCreated = event("audit.calendar_feed.created", {
  resource: "calendar_feed",
  summary: "A calendar feed URL was created.",
  data: FeedData,
});
export const FeedRevoked = event("audit.calendar_feed.revoked", {
  resource: "calendar_feed",
  summary: "A calendar feed URL was revoked.",
  data: FeedData,
});

export function newFeedToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

const PUT = `
  insert into calendar_feeds (user_id, token_hash, created_at) values ($1, $2, $3)
  on conflict (workspace_id, environment, user_id)
  do update set token_hash = excluded.token_hash, created_at = excluded.created_at
  returning xmax <> 0 as replaced`;

/** Writes a feed. Resolves to true if it replaced another feed. */
export async function putFeed(
  tx: Tx,
  { userId, token, now }: { readonly userId: string; readonly token: string; readonly now: Date },
): Promise<boolean> {
  const [row] = await queryRows(tx, PUT, [userId, sha256(token), now]);
  return row?.["replaced"] === true;
}

/** Deletes a feed. Resolves to true if it existed. */
export async function removeFeed(tx: Tx, userId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("calendar_feeds")
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

const OWNER = `
  select workspace_id as workspace, environment, user_id as "userId"
    from calendar_feeds where token_hash = $1`;

/** Resolves a token to its partition. Throws 404 unless its owner can still see changes there. */
export async function authenticateFeed(platform: Platform, token: string): Promise<Partition> {
  const [feed] = await platform.db.system<Partition & { userId: string }>(OWNER, [sha256(token)]);
  if (!feed) throw new Failure(NotFound);
  const { workspace, environment, userId } = feed;
  platform.rateLimit.assert(`calendar ${workspace} ${userId}`, platform.settings.rateLimit);
  const member = await findMembership(platform, workspace, userId);
  if (!member?.permissions.has(ChangesRead.name)) throw new Failure(NotFound);
  return { workspace, environment };
}
