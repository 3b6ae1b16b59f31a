/**
 * Signs the log. Every hour, the events since the last checkpoint of each workspace are hashed in log order into a
 * Merkle tree and signed, together with the hash of the previous checkpoint. This runs in the background, so writes
 * are not slower. Events since the last checkpoint are not covered yet.
 */
import Type from "typebox";
import { sha256 } from "#kernel/access/crypto.ts";
import type { JobType, Platform } from "#kernel/contract.ts";
import { newCorrelationId } from "#kernel/log/causal-chain.ts";
import type { LogPosition } from "#kernel/log/event.ts";
import { readSettledEnd, readWorkspaceLog } from "#kernel/log/workspace-log.ts";
import { runAsSystem } from "#kernel/operation/act.ts";
import { workspaceIdOf } from "#kernel/schema/id.ts";
import { job } from "#kernel/work/job.ts";
import { hashLeaf, rootOf } from "./merkle-tree.ts";
import { ensureSigningKey, type SigningKey } from "./signing-key.ts";
import { newStatement, toCanonicalJson, toHashedEvent } from "./statement.ts";
import { type Checkpoint, findLastCheckpoint, forgetLeaves, insertCheckpoint } from "./store.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The maximum per tree, because a proof reads the hashes of all its events. */
const CHECKPOINT_EVENTS_MAX = 4_096;
const BATCH_EVENTS = 100;
/** The duration of one turn. The rest follows in the next one. */
const TURN_MS = 60_000;
const START: LogPosition = { epoch: 0, xid: 0, seq: 0 };

/** Workspaces older than an hour: the log of a newer one is signed with its first full hour. */
const WORKSPACES = "select key from workspaces where created_at <= $1 order by key";

export const checkpointJob: JobType = job({
  kind: "audit.checkpoint",
  payload: Type.Object({}),
  everyMs: HOUR_MS,
  concurrency: 1,
  timeoutMs: 10 * TURN_MS,
  effect: (platform) => signAllLogs(platform),
  run: async (_ctx, _payload, isDone) => (isDone ? undefined : "again"),
});

/** Signs the logs of all workspaces. Returns false if the time was too short. */
async function signAllLogs(platform: Platform): Promise<boolean> {
  const until = performance.now() + TURN_MS;
  const oldest = new Date(platform.clock.nowMs() - HOUR_MS);
  for (const { key } of await platform.db.system<{ key: string }>(WORKSPACES, [oldest])) {
    if (!(await signLog(platform, key, until))) return false;
  }
  return true;
}

/** Signs the log of one workspace up to its end. Returns false if the time was too short. */
export async function signLog(
  platform: Platform,
  workspace: string,
  untilMs = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  while (await signNextEvents(platform, workspace)) {
    if (performance.now() > untilMs) return false;
  }
  return true;
}

/** Writes the next checkpoint of a workspace. Returns true if there may be more events. */
async function signNextEvents(platform: Platform, workspace: string): Promise<boolean> {
  const { db, keys, settings } = platform;
  const partition = { workspace, environment: "production" } as const;
  const last = await db.read(partition, findLastCheckpoint);
  const read = await hashEvents(platform, workspace, last?.position ?? START);
  if (!read) return false;
  const dataKey = await keys.of(workspace);
  const cause = { correlationId: newCorrelationId(platform.clock), depth: 0 };
  await runAsSystem(platform, partition, cause, async (ctx) => {
    const key = await ensureSigningKey(ctx, dataKey);
    await insertCheckpoint(ctx.tx, toCheckpoint({ ...read, workspace, now: ctx.now }, last, key));
    const days = settings.eventRetentionDays;
    if (days > 0) await forgetLeaves(ctx.tx, new Date(ctx.now.getTime() - days * DAY_MS));
  });
  return read.leaves.length === CHECKPOINT_EVENTS_MAX;
}

interface HashedEvents {
  readonly leaves: readonly Buffer[];
  readonly first: { readonly id: string; readonly at: string };
  readonly last: { readonly id: string; readonly position: LogPosition };
}

async function hashEvents(
  { db }: Platform,
  workspace: string,
  from: LogPosition,
): Promise<HashedEvents | undefined> {
  const upTo = await readSettledEnd(db);
  const leaves: Buffer[] = [];
  let after = from;
  let first: HashedEvents["first"] | undefined;
  let last: HashedEvents["last"] | undefined;
  while (leaves.length < CHECKPOINT_EVENTS_MAX) {
    const limit = Math.min(BATCH_EVENTS, CHECKPOINT_EVENTS_MAX - leaves.length);
    const events = await readWorkspaceLog(db, workspace, { after, upTo }, limit);
    for (const event of events) {
      leaves.push(hashLeaf(toCanonicalJson(toHashedEvent(event))));
      first ??= { id: event.id, at: event.createdAt };
      last = { id: event.id, position: event.position };
    }
    if (last) after = last.position;
    if (events.length < limit) break;
  }
  return first && last && { leaves, first, last };
}

function toCheckpoint(
  events: HashedEvents & { readonly workspace: string; readonly now: Date },
  before: Checkpoint | undefined,
  { sign, previousKey }: SigningKey,
) {
  const { leaves, first, last, now } = events;
  const number = (before?.number ?? 0) + 1;
  const statement = toCanonicalJson(
    newStatement({
      workspaceId: workspaceIdOf(events.workspace),
      number,
      previous: before?.hash.toString("hex") ?? "",
      root: rootOf(leaves).toString("hex"),
      count: leaves.length,
      first: first.id,
      firstAt: first.at,
      last: last.id,
      at: now.toISOString(),
      ...(previousKey && { previousKey: previousKey.toString("hex") }),
    }),
  );
  return {
    number,
    statement,
    hash: sha256(statement),
    signature: sign(statement),
    position: last.position,
    firstAt: first.at,
    leaves: Buffer.concat(leaves),
    createdAt: now,
  };
}
