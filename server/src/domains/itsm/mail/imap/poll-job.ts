/**
 * Fetches mails from IMAP servers. Each mailbox has one job, and therefore one lease. Each mail is stored in one
 * transaction with the polling position, so a crash neither loses nor duplicates it. Nothing changes on the server.
 */
import Type from "typebox";
import type { Platform } from "#kernel/contract.ts";
import type { EnvironmentName, Partition } from "#kernel/db/database.ts";
import { newCorrelationId } from "#kernel/log/causal-chain.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { runAsSystem } from "#kernel/operation/act.ts";
import { job } from "#kernel/work/job.ts";
import { insertMail, MailboxFull, storeMail } from "../intake/accept.ts";
import { findTarget } from "../intake/target.ts";
import type { StoredMailbox } from "../mailbox.ts";
import { mailboxes } from "../mailbox-resource.ts";
import { recentSecrets } from "#kernel/secrets/recent-secrets.ts";
import { type ImapFolder, withFolder } from "./imap-session.ts";
import { type Cursor, findCursor, saveCursor } from "./cursor.ts";

const EVERY_MS = 60_000;
const TIMEOUT_MS = 300_000;
const MAILS_MAX = 200;
const MAILBOXES_MAX = 1_000;

const PartitionFields = {
  workspace: Type.String(),
  environment: Type.Enum(["production", "staging", "development"]),
};

/** Fetches new mails of one mailbox. */
export const pollJob = job({
  kind: "mail.poll",
  payload: Type.Object({ mailboxId: Type.String(), ...PartitionFields }),
  attemptsMax: 1,
  timeoutMs: TIMEOUT_MS,
  concurrency: 4,
  async effect(platform, { mailboxId, ...partition }, { signal }) {
    const mailbox = await platform.db.read(partition, (tx) => mailboxes.store.find(tx, mailboxId));
    if (!mailbox?.enabled || mailbox.kind !== "imap") return undefined;
    try {
      await pollMailbox(platform, partition, { mailbox, signal });
      return undefined;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return recentSecrets.scrub(message).slice(0, 500);
    }
  },
  async run(ctx, { mailboxId }, error) {
    await ctx.send("update mailbox_cursors set polled_at = $2, error = $3 where mailbox_id = $1", [
      mailboxId,
      ctx.now,
      error ?? null,
    ]);
  },
});

const POLLED = `
  select id as "mailboxId", workspace_id as workspace, environment from mailboxes
   where kind = 'imap' and enabled order by id limit $1`;

interface PolledRow extends Record<string, unknown> {
  readonly mailboxId: string;
  readonly workspace: string;
  readonly environment: EnvironmentName;
}

/** Enqueues polls for all IMAP mailboxes. Runs as the system, across all workspaces. */
export const findPolledJob = job({
  kind: "mail.find_polled",
  payload: Type.Object({}),
  everyMs: EVERY_MS,
  effect: ({ db }) => db.system<PolledRow>(POLLED, [MAILBOXES_MAX]),
  async run(ctx, _payload, rows) {
    for (const { mailboxId, workspace, environment } of rows) {
      ctx.switchPartition({ workspace, environment });
      ctx.enqueue(pollJob, { mailboxId, workspace, environment }, { key: mailboxId });
    }
  },
});

/** Fetches mails after the cursor one by one, until the last mail or the timeout. */
export async function pollMailbox(
  platform: Platform,
  partition: Partition,
  { mailbox, signal }: { readonly mailbox: StoredMailbox; readonly signal: AbortSignal },
): Promise<void> {
  const known = await platform.db.read(partition, (tx) => findCursor(tx, mailbox.id));
  await findRoom(platform, mailbox, 0);
  // Saved before the first poll, so that its error can be stored.
  if (!known) await saveCursor(platform, partition, { mailboxId: mailbox.id, cursor: NOWHERE });
  await withFolder(platform, { mailbox, partition }, async (folder) => {
    const cursor = resumeCursor(known, folder);
    if (cursor !== known) await saveCursor(platform, partition, { mailboxId: mailbox.id, cursor });
    for (const uid of await newUids(folder, cursor.lastUid)) {
      if (signal.aborted) break;
      await fetchMail(platform, partition, { mailbox, folder, uid });
    }
  });
}

/** Throws if the mailbox is full. Mails that cannot be stored stay on the server. */
async function findRoom(
  platform: Platform,
  { address }: Pick<StoredMailbox, "address">,
  size: number,
): Promise<number> {
  const { roomBytes = 0 } = (await findTarget(platform, address)) ?? {};
  if (roomBytes === 0 || size > roomBytes) throw new Failure(MailboxFull);
  return roomBytes;
}

const NOWHERE: Cursor = { uidValidity: 0n, lastUid: 0 };

/**
 * The position to continue from. A mailbox starts with mails that arrive after its creation. If the server restarts
 * its numbering, all mails are read again, and stored mails are recognised by id.
 */
function resumeCursor(known: Cursor | undefined, { uidValidity, uidNext }: ImapFolder): Cursor {
  if (known?.uidValidity === uidValidity) return known;
  const isFirst = known === undefined || known.uidValidity === 0n;
  return { uidValidity, lastUid: isFirst ? Math.max(0, uidNext - 1) : 0 };
}

async function newUids(
  { client, uidNext }: ImapFolder,
  lastUid: number,
): Promise<readonly number[]> {
  if (uidNext <= lastUid + 1) return [];
  // `n:*` always includes the last message, even with a number below n.
  const uids = (await client.search({ uid: `${lastUid + 1}:*` }, { uid: true })) || [];
  return uids
    .filter((uid) => uid > lastUid)
    .toSorted((a, b) => a - b)
    .slice(0, MAILS_MAX);
}

async function fetchMail(
  platform: Platform,
  partition: Partition,
  about: { readonly mailbox: StoredMailbox; readonly folder: ImapFolder; readonly uid: number },
): Promise<void> {
  const { mailbox, folder, uid } = about;
  const { size } = (await folder.client.fetchOne(String(uid), { size: true }, { uid: true })) || {};
  const isTooLarge = (size ?? 0) > platform.settings.mailBytesMax;
  const roomBytes = isTooLarge ? 0 : await findRoom(platform, mailbox, size ?? 0);
  const found =
    !isTooLarge && (await folder.client.fetchOne(String(uid), { source: true }, { uid: true }));
  const source = found ? found.source : undefined;
  const cause = { correlationId: newCorrelationId(platform.clock), depth: 0 };
  const cursor = { uidValidity: folder.uidValidity, lastUid: uid };
  if (!source) {
    // A missing or oversized mail is skipped, and polling continues after it.
    platform.log.warn({ mailboxId: mailbox.id, uid, size }, "can't fetch an e-mail");
    await saveCursor(platform, partition, { mailboxId: mailbox.id, cursor });
    return;
  }
  const target = { mailboxId: mailbox.id, partition, recipient: mailbox.address, roomBytes };
  const stored = await storeMail(platform, target, toChunks(source));
  const returnPath = readReturnPath(source, mailbox.address);
  await runAsSystem(platform, partition, cause, async (ctx) => {
    const moved = await ctx.send(
      "update mailbox_cursors set last_uid = $3, uid_validity = $2 where mailbox_id = $1 and last_uid < $3 returning 1 as n",
      [mailbox.id, folder.uidValidity, uid],
    );
    // Another node took over after this node lost its lease.
    if (moved.length === 0) return;
    await insertMail(ctx, {
      source: "imap",
      returnPath,
      target,
      stored,
      uid: { validity: folder.uidValidity, uid },
    });
  });
}

/**
 * The return path recorded by the server. A missing record means unknown, which differs from the null return path.
 */
function readReturnPath(source: Buffer, fallback: string): string | null {
  const head = source.subarray(0, 16_384).toString("latin1");
  const found = /^return-path:\s*<([^<>\s]{0,254})>/im.exec(head);
  if (!found) return fallback;
  return found[1] === "" || found[1] === undefined ? null : found[1].toLowerCase();
}

async function* toChunks(content: Uint8Array) {
  yield content;
}
