import { systemCaller } from "../access/caller.ts";
import { compilePattern } from "../condition/event-pattern.ts";
import type {
  EventTypeCount,
  Platform,
  Reader,
  ReaderContext,
  ReaderDeclaration,
  ReaderHandler,
  SummaryContext,
  WriteContext,
} from "../contract.ts";
import { NO_WORKSPACE, type Partition, type Transaction } from "../db/database.ts";
import { eventIdOf, type EventType, type LogPosition, type RecordedEvent } from "../log/event.ts";
import { causationOf } from "../log/event-log.ts";
import { Act } from "../operation/act.ts";
import { newId } from "../schema/id.ts";
import type { LoopNext } from "../work/loop.ts";
import { BATCH_EVENTS_MAX, type BatchPart, type EventBatch, readBatch } from "./event-batch.ts";

const POLL_MS = 1_000;

export function reader<const E extends readonly EventType[] = []>(
  about: ReaderDeclaration & { readonly emits?: E } & ReaderHandler<E[number]>,
): Reader {
  return about as Reader;
}

const LOCK = `
  select from readers where name = $1 and epoch = $2 and xid = $3 and seq = $4 for update skip locked`;
const PARK = `
  insert into parked_events (reader, epoch, xid, seq, workspace_id, environment, error, parked_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`;
const MOVE = `
  update readers set epoch = $2, xid = $3, seq = $4, updated_at = $5 where name = $1`;

/** A new reader's row; the end of the log is the last event that can no longer be overtaken. */
const REGISTER = `
  insert into readers (name, epoch, xid, seq, updated_at)
  values ($1, $2, case when $3 then pg_snapshot_xmin(pg_current_snapshot()) else '0' end, 0, $4)
  on conflict (name) do nothing`;

export async function registerReaders(
  platform: Platform,
  readers: readonly Reader[],
): Promise<void> {
  for (const { name, startsAt } of readers) {
    const atEnd = startsAt === "end";
    await platform.db.write(NOWHERE, (session) =>
      session.send(REGISTER, [name, atEnd ? platform.epoch : 0, atEnd, platform.clock.now()]),
    );
  }
}

/** What a process remembers of a reader from one batch to the next. */
export interface Trail {
  /** Where this process left it last. */
  left: LogPosition | undefined;
  /** The last event of the batch that it tried last. */
  tried?: LogPosition | undefined;
}

/** A reader on its way. */
export interface Walker {
  readonly reader: Reader;
  readonly trail: Trail;
}

/** Handles one batch; resolves to when to look again. */
export async function advance(
  platform: Platform,
  one: Reader,
  eventsMax = BATCH_EVENTS_MAX,
  trail: Trail = { left: undefined },
): Promise<LoopNext> {
  const batch = await lookFor(platform, [one], eventsMax);
  const idle = batch.unsettled ? "soon" : POLL_MS;
  if (!batch.last) return idle;
  const walker = { reader: one, trail };
  const handled = await moveOn(platform, one, batch, (session) =>
    handleAll(platform, walker, session, batch),
  );
  if (!handled) return POLL_MS;
  trail.left = batch.last;
  return batch.count === eventsMax ? "again" : idle;
}

/** Readers that stand at the same place read once, and commit once. */
const LOCK_ALL = `
  select from readers where name = any($1) and epoch = $2 and xid = $3 and seq = $4
     for update skip locked`;
const MOVE_ALL = `
  update readers set epoch = $2, xid = $3, seq = $4, updated_at = $5 where name = any($1)`;

/**
 * Handles one batch for several readers in one transaction. "apart" when they do not stand at the same
 * place: then each has to go on for itself until they do.
 */
export async function advanceTogether(
  platform: Platform,
  walkers: readonly Walker[],
): Promise<LoopNext | "apart"> {
  const readers = walkers.map(({ reader: one }) => one);
  const names = readers.map(({ name }) => name);
  const batch = await lookFor(platform, readers, BATCH_EVENTS_MAX);
  const idle = batch.unsettled ? "soon" : POLL_MS;
  const { from, last } = batch;
  if (!last) return idle;
  const locked = await platform.db.write(NOWHERE, async (session) => {
    const rows = await session.send(LOCK_ALL, [names, from.epoch, String(from.xid), from.seq]);
    if (rows.length < names.length) return rows.length;
    for (const walker of walkers) await handleAll(platform, walker, session, batch);
    const place = [last.epoch, String(last.xid), last.seq];
    void session.send(MOVE_ALL, [names, ...place, platform.clock.now()]);
    return rows.length;
  });
  if (locked === 0) return POLL_MS;
  if (locked < names.length) return "apart";
  for (const { trail } of walkers) trail.left = last;
  return batch.count === BATCH_EVENTS_MAX ? "again" : idle;
}

/** Sets the event aside that was tried last, with the reason; false when another node has moved on. */
export async function park(
  platform: Platform,
  one: Reader,
  { tried }: Trail,
  reason: string,
): Promise<boolean> {
  const batch = await lookFor(platform, [one], 1);
  const { last, parts } = batch;
  const [part] = parts;
  if (!part || !last || !tried || eventIdOf(last) !== eventIdOf(tried)) return false;
  const { workspace, environment } = part.partition;
  const place = [last.epoch, String(last.xid), last.seq, workspace, environment];
  return moveOn(platform, one, batch, async (session) => {
    await session.send(PARK, [one.name, ...place, reason, platform.clock.now()]);
  });
}

/** What is next for these readers. */
function lookFor(
  platform: Platform,
  readers: readonly Reader[],
  eventsMax: number,
): Promise<EventBatch> {
  const names = readers.map(({ name }) => name);
  const wishes = readers
    .filter((one) => !("handleSummary" in one))
    .map((one) => wishOf(platform, one));
  return readBatch(platform, names, eventsMax, (type) => wishes.some((wants) => wants(type)));
}

/** Does the work and moves the cursor together; false when another node has this reader in hand. */
async function moveOn(
  platform: Platform,
  one: Reader,
  { from, last = from }: EventBatch,
  work: (session: Transaction) => Promise<void>,
): Promise<boolean> {
  return platform.db.write(NOWHERE, async (session) => {
    const locked = await session.send(LOCK, [one.name, from.epoch, String(from.xid), from.seq]);
    if (locked.length === 0) return false;
    await work(session);
    const place = [last.epoch, String(last.xid), last.seq];
    session.post(MOVE, [one.name, ...place, platform.clock.now()]);
    return true;
  });
}

async function handleAll(
  platform: Platform,
  { reader: one, trail }: Walker,
  session: Transaction,
  { from, last, parts }: EventBatch,
): Promise<void> {
  const wants = wishOf(platform, one);
  trail.tried = last;
  const continuous = trail.left !== undefined && eventIdOf(trail.left) === eventIdOf(from);
  for (const part of parts) {
    const kinds = part.kinds.filter(({ type }) => wants(type));
    if (kinds.length > 0) await handlePart(platform, one, session, { part, kinds, continuous });
  }
}

interface Share extends Pick<ReaderContext, "continuous"> {
  readonly part: BatchPart;
  /** Those that the reader wants. */
  readonly kinds: readonly EventTypeCount[];
}

async function handlePart(
  platform: Platform,
  one: Reader,
  session: Transaction,
  { part, kinds, continuous }: Share,
): Promise<void> {
  const { partition } = part;
  // An act before this may have gone elsewhere.
  const stay = (): void => {
    if (!isIn(session, partition)) session.enter(partition);
  };
  stay();
  const acts: Act[] = [];
  const because = (cause: RecordedEvent): WriteContext => {
    stay();
    const caller = systemCaller(partition, causationOf(cause));
    const act = new Act({ session, services: platform, caller });
    acts.push(act);
    return act.ctx;
  };
  const events: SummaryContext["events"] = (types) => {
    stay();
    return part.events(session, types);
  };
  const { tx } = session;
  const caller = systemCaller(partition, { correlationId: newId("cor"), depth: 0 });
  const now = platform.clock.now();
  const onCommit = (listener: () => void): void => session.onCommit(listener);
  const ctx = { tx, now, caller, services: platform, because, continuous, onCommit };
  if ("handleSummary" in one) await one.handleSummary({ ...ctx, events }, kinds);
  else await one.handle(ctx, await events(kinds.map(({ type }) => type)));
  for (const act of acts) act.finish();
}

type Wish = (type: string) => boolean;

const wishes = new WeakMap<Platform, Map<Reader, Wish>>();

/** What a reader wants follows from the assembled product, and stays so. */
function wishOf(platform: Platform, one: Reader): Wish {
  let known = wishes.get(platform);
  if (!known) wishes.set(platform, (known = new Map()));
  let wish = known.get(one);
  if (!wish) {
    wish = compilePattern(typeof one.on === "function" ? one.on(platform) : one.on);
    known.set(one, wish);
  }
  return wish;
}

function isIn({ partition }: Transaction, { workspace, environment }: Partition): boolean {
  return partition.workspace === workspace && partition.environment === environment;
}

const NOWHERE: Partition = { workspace: NO_WORKSPACE, environment: "production" };
