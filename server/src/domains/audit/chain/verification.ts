import Type, { type Static } from "typebox";
import type { Caller } from "#kernel/access/caller.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import type { Platform } from "#kernel/contract.ts";
import { eventIdOf, type LogPosition } from "#kernel/log/event.ts";
import { readWorkspaceLog } from "#kernel/log/workspace-log.ts";
import { nullable } from "#kernel/schema/schema.ts";
import { hashLeaf, rootOf, splitLeaves } from "./merkle-tree.ts";
import { findKey, readLogKeys } from "./log-keys.ts";
import { isSignedBy } from "./signing-key.ts";
import { type CheckpointStatement, toCanonicalJson, toHashedEvent } from "./statement.ts";
import { type Checkpoint, type CheckpointWithLeaves, listCheckpoints } from "./store.ts";

const DAY_MS = 24 * 3_600_000;
const BATCH_EVENTS = 100;
const MISMATCHES_MAX = 100;
const START: LogPosition = { epoch: 0, xid: 0, seq: 0 };

const Mismatch = Type.Object({
  checkpoint: Type.Integer(),
  kind: Type.Enum(["altered", "missing", "added", "checkpoint"], {
    description: "Id of an event, or `checkpoint` if the chain or a signature is broken",
  }),
  eventId: nullable(Type.String({ description: "Null for a missing event" })),
});
type Mismatch = Static<typeof Mismatch>;

export const LogVerification = Type.Object(
  {
    intact: Type.Boolean(),
    checkpoints: Type.Integer({ description: "Number of verified checkpoints" }),
    events: Type.Integer({ description: "Number of hashed events" }),
    mismatches: Type.Array(Mismatch, { description: `At most ${MISMATCHES_MAX}` }),
    next: nullable(
      Type.Integer({ description: "Cursor of the next page. Send it as `after`. Null at the end" }),
    ),
  },
  { title: "LogVerification" },
);
export type LogVerification = Static<typeof LogVerification>;

/** Hashes the events of some checkpoints again, and verifies the chain and its signatures. */
export async function verifyLog(
  platform: Platform,
  { workspace, environment }: Caller,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<LogVerification> {
  if (!workspace) throw new Error("A log belongs to a workspace.");
  const partition = { workspace: workspace.key, environment };
  const dataKey = await platform.keys.of(workspace.key);
  const { all, keys } = await platform.db.read(partition, async (tx) => ({
    // Includes the previous one, for its hash and its end, and one more, to detect further ones.
    all: await listCheckpoints(tx, Math.max(after - 1, 0), limit + 2),
    keys: await readLogKeys(tx, dataKey),
  }));
  let before: Checkpoint | undefined = all.find(({ number }) => number === after);
  const rest = all.filter(({ number }) => number > after);
  const mismatches: Mismatch[] = [];
  let events = 0;
  for (const checkpoint of rest.slice(0, limit)) {
    const publicKey = findKey(keys, checkpoint.number);
    const signed = publicKey && readSigned(checkpoint, before, publicKey);
    // Hashes are deleted together with the events. Earlier deletion is tampering.
    const isWhole = checkpoint.leaves !== null || isExpired(platform, signed?.at);
    if (!signed || !isWhole)
      mismatches.push({ checkpoint: checkpoint.number, kind: "checkpoint", eventId: null });
    const compared = await compareEvents(platform, workspace.key, {
      checkpoint,
      after: before?.position ?? START,
      mayMiss: isExpired(platform, signed?.firstAt),
    });
    events += compared.events;
    mismatches.push(...compared.mismatches);
    before = checkpoint;
  }
  return {
    intact: mismatches.length === 0,
    checkpoints: Math.min(rest.length, limit),
    events,
    mismatches: mismatches.slice(0, MISMATCHES_MAX),
    next: rest.length > limit ? (before?.number ?? null) : null,
  };
}

/** The verified statement of a checkpoint: consistent, signed, and after the previous one. */
function readSigned(
  { number, statement, hash, signature, position, leaves }: CheckpointWithLeaves,
  before: Checkpoint | undefined,
  publicKey: Buffer,
): CheckpointStatement | undefined {
  const isSigned = sha256(statement).equals(hash) && isSignedBy(publicKey, statement, signature);
  if (!isSigned) return undefined;
  const signed = JSON.parse(statement) as CheckpointStatement;
  const isNext = number === (before?.number ?? 0) + 1;
  const isChained = signed.previous === (before?.hash.toString("hex") ?? "");
  const isPlaced = signed.number === number && signed.last === eventIdOf(position);
  const isWhole = leaves === null || signed.root === rootOf(splitLeaves(leaves)).toString("hex");
  return isNext && isChained && isPlaced && isWhole ? signed : undefined;
}

/** True for a signed time whose events retention may have deleted. */
function isExpired(
  { settings: { eventRetentionDays: days }, clock }: Platform,
  time: string | undefined,
): boolean {
  return days > 0 && time !== undefined && Date.parse(time) < clock.nowMs() - days * DAY_MS;
}

interface ComparedEvents {
  readonly checkpoint: CheckpointWithLeaves;
  readonly after: LogPosition;
  /** True if events may be missing, because retention deletes the oldest. */
  readonly mayMiss: boolean;
}

/** Compares the existing events with the signed hashes. */
async function compareEvents(
  { db }: Platform,
  workspace: string,
  { checkpoint, after, mayMiss }: ComparedEvents,
): Promise<{ readonly events: number; readonly mismatches: readonly Mismatch[] }> {
  if (checkpoint.leaves === null) return { events: 0, mismatches: [] };
  const missing = new Set(splitLeaves(checkpoint.leaves).map((leaf) => leaf.toString("hex")));
  const unknown: string[] = [];
  let [events, from] = [0, after];
  for (;;) {
    const range = { after: from, upTo: checkpoint.position };
    const batch = await readWorkspaceLog(db, workspace, range, BATCH_EVENTS);
    for (const event of batch) {
      const leaf = hashLeaf(toCanonicalJson(toHashedEvent(event))).toString("hex");
      if (!missing.delete(leaf)) unknown.push(event.id);
    }
    events += batch.length;
    from = batch.at(-1)?.position ?? from;
    if (batch.length < BATCH_EVENTS) break;
  }
  const { number } = checkpoint;
  const altered = unknown.slice(0, missing.size);
  const added = unknown.slice(missing.size);
  const gone = mayMiss ? 0 : missing.size - altered.length;
  const mismatches: Mismatch[] = [
    ...altered.map((eventId) => ({ checkpoint: number, kind: "altered" as const, eventId })),
    ...added.map((eventId) => ({ checkpoint: number, kind: "added" as const, eventId })),
    ...Array.from({ length: Math.min(gone, MISMATCHES_MAX) }, () => ({
      checkpoint: number,
      kind: "missing" as const,
      eventId: null,
    })),
  ];
  return { events, mismatches };
}
