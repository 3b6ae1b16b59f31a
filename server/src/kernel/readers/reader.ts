import { systemCaller } from "../access/caller.ts";
import { compilePattern } from "../condition/event-pattern.ts";
import type {
  PartSummary,
  Platform,
  Reader,
  ReaderContext,
  ReaderDeclaration,
  ReaderHandler,
  SummaryContext,
  WriteContext,
} from "../contract.ts";
import { NO_WORKSPACE, type Partition, type Transaction } from "../db/database.ts";
import { newCorrelationId } from "../log/causal-chain.ts";
import { eventIdOf, type EventType, type LogPosition, type RecordedEvent } from "../log/event.ts";
import { causationOf } from "../log/event-log.ts";
import { Act } from "../operation/act.ts";
import type { LoopNext } from "../work/loop.ts";
import { type SpanDescription, traceWork } from "../telemetry/span.ts";
import {
  BATCH_EVENTS_MAX,
  BatchEvents,
  type BatchLimits,
  BatchPart,
  type EventBatch,
  readBatch,
} from "./event-batch.ts";

const POLL_MS = 1_000;

/** Declares a reader: a durable consumer of the event log. */
export function reader<const E extends readonly EventType[] = []>(
  about: ReaderDeclaration & { readonly emits?: E } & ReaderHandler<E[number]>,
): Reader {
  return about as Reader;
}

const LOCK_CURSORS = `
  select from readers where name = any($1) and epoch = $2 and xid = $3 and seq = $4
     for update skip locked`;
/** The table of dead letters keeps its older name. */
const INSERT_DEAD_LETTER = `
  insert into parked_events (reader, epoch, xid, seq, workspace_id, environment, error, parked_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`;
const MOVE_CURSORS = `
  update readers set epoch = $2, xid = $3, seq = $4, updated_at = $5 where name = any($1)`;
/**
 * Moves the cursors past events that concern none of the readers. Not flushed to disk: if a crash reverts the
 * move, the same events are skipped again.
 */
const PASS_EVENTS = `
  with at as materialized
    (select name from readers where name = any($1) and epoch = $2 and xid = $3 and seq = $4
        for update skip locked)
  update readers r set epoch = $5, xid = $6, seq = $7, updated_at = $8
    from at, set_config('synchronous_commit', 'off', true)
   where r.name = at.name
  returning r.name`;
const READ_FOREMOST = `
  select epoch, xid, seq from readers where name = any($1)
   order by epoch desc, xid desc, seq desc limit 1`;

/**
 * The cursors of new readers. The end of the log is the last settled event. In one statement, so that they
 * start at one position and share batches.
 */
const REGISTER = `
  insert into readers (name, epoch, xid, seq, updated_at)
  select r.name, case when r.at_end then i.epoch else 0 end,
         case when r.at_end then pg_snapshot_xmin(pg_current_snapshot()) else '0' end, 0, $3
    from installation i cross join unnest($1::text[], $2::boolean[]) as r (name, at_end)
  on conflict (name) do nothing`;

/** Inserts the cursors of new readers. */
export async function registerReaders(
  platform: Platform,
  readers: readonly Reader[],
): Promise<void> {
  const names = readers.map(({ name }) => name);
  const atEnd = readers.map(({ startsAt }) => startsAt === "end");
  await platform.db.write(NO_PARTITION, (session) =>
    session.send(REGISTER, [names, atEnd, platform.clock.now()]),
  );
}

/** The state of a reader in this process between batches. */
export interface ReaderState {
  /** The cursor after the last batch that this process handled. */
  handledUntil: LogPosition | undefined;
  /** The last event of the last attempted batch. */
  attemptedUntil?: LogPosition | undefined;
}

/** A reader with its state in this process. */
export interface ReaderWithState {
  readonly reader: Reader;
  readonly state: ReaderState;
}

/** Handles one batch. Resolves to the time of the next read. */
export async function advanceReader(
  platform: Platform,
  consumer: Reader,
  limits: Partial<BatchLimits> = {},
  state: ReaderState = { handledUntil: undefined },
): Promise<LoopNext> {
  const next = await advanceGroup(platform, [{ reader: consumer, state }], limits);
  return next === "apart" ? POLL_MS : next;
}

/**
 * Handles one batch for several readers with one read and one commit. Returns "apart" if their positions differ; the
 * slower ones must catch up first.
 */
export async function advanceGroup(
  platform: Platform,
  members: readonly ReaderWithState[],
  { eventsMax = BATCH_EVENTS_MAX, until }: Partial<BatchLimits> = {},
): Promise<LoopNext | "apart"> {
  const readers = members.map((member) => member.reader);
  const batch = await readNextBatch(platform, readers, { eventsMax, until });
  const idle = batch.unsettled ? "soon" : POLL_MS;
  if (!batch.last) return idle;
  const concernsSome = readers.some((one) => concernedParts(platform, one, batch).length > 0);
  const moved = concernsSome
    ? await moveCursors(platform, readers, batch, async (session) => {
        for (const member of members) await handleBatch(platform, member, session, batch);
      })
    : await passEvents(platform, readers, batch);
  if (moved === 0) return POLL_MS;
  if (moved < members.length) return "apart";
  for (const { state } of members) state.handledUntil = batch.last;
  return batch.count === eventsMax ? "again" : idle;
}

/** The cursor of the first reader of a group. */
export async function readForemost(
  { db }: Platform,
  readers: readonly Reader[],
): Promise<LogPosition | undefined> {
  const names = readers.map(({ name }) => name);
  const [row] = await db.system<{ epoch: number; xid: string; seq: number }>(READ_FOREMOST, [
    names,
  ]);
  return row && { ...row, xid: Number(row.xid) };
}

/**
 * Stores the last attempted event as a dead letter with the reason, and moves the cursor past it. Returns false
 * if another node has moved the cursor.
 */
export async function deadLetterEvent(
  platform: Platform,
  consumer: Reader,
  { attemptedUntil }: ReaderState,
  reason: string,
): Promise<boolean> {
  const batch = await readNextBatch(platform, [consumer], { eventsMax: 1 });
  const { last, parts } = batch;
  const [part] = parts;
  if (!part || !last || !attemptedUntil) return false;
  if (eventIdOf(last) !== eventIdOf(attemptedUntil)) return false;
  const { workspace, environment } = part.partition;
  const position = [last.epoch, String(last.xid), last.seq, workspace, environment];
  const moved = await moveCursors(platform, [consumer], batch, async (session) => {
    await session.send(INSERT_DEAD_LETTER, [
      consumer.name,
      ...position,
      reason,
      platform.clock.now(),
    ]);
  });
  return moved > 0;
}

/** Handles one event again, independent of the cursor, for the retry of a dead letter. */
export async function handleEvent(
  platform: Platform,
  consumer: Reader,
  session: Transaction,
  event: RecordedEvent,
): Promise<void> {
  const { position, workspace, environment, topic, type, createdAt } = event;
  const from = { ...position, seq: position.seq - 1 };
  const row = { ...position, xid: String(position.xid), workspace_id: workspace, environment };
  const summary = { ...row, topic, type, count: 1, last_at: createdAt };
  const events = new BatchEvents(platform.db, { from, last: position }, []);
  const parts = [new BatchPart(events, [summary], true)];
  const batch = { from, last: position, count: 1, unsettled: false, parts };
  await handleBatch(
    platform,
    { reader: consumer, state: { handledUntil: undefined } },
    session,
    batch,
  );
}

/** Reads the next batch of these readers. */
function readNextBatch(
  platform: Platform,
  readers: readonly Reader[],
  limits: BatchLimits,
): Promise<EventBatch> {
  const names = readers.map(({ name }) => name);
  const matchers = readers
    .filter((consumer) => "handle" in consumer)
    .map((consumer) => matcherFor(platform, consumer));
  return readBatch(platform, names, limits, (type) => matchers.some((match) => match(type)));
}

/**
 * Runs the work and moves the cursors in one transaction. Resolves to the number of readers at the batch that
 * no other node is running. If that is not all of them, nothing is done.
 */
async function moveCursors(
  platform: Platform,
  readers: readonly Reader[],
  { from, last = from }: EventBatch,
  work: (session: Transaction) => Promise<void>,
): Promise<number> {
  const names = readers.map(({ name }) => name);
  const before = [from.epoch, String(from.xid), from.seq];
  const after = [last.epoch, String(last.xid), last.seq];
  return platform.db.write(NO_PARTITION, async (session) => {
    const locked = await session.send(LOCK_CURSORS, [names, ...before]);
    if (locked.length < names.length) return locked.length;
    await work(session);
    void session.send(MOVE_CURSORS, [names, ...after, platform.clock.now()]);
    return locked.length;
  });
}

/** Moves the cursors only. Resolves to the number of readers at the batch. */
async function passEvents(
  { db, clock }: Platform,
  readers: readonly Reader[],
  { from, last = from }: EventBatch,
): Promise<number> {
  const names = readers.map(({ name }) => name);
  const positions = [from, last].flatMap(({ epoch, xid, seq }) => [epoch, String(xid), seq]);
  const moved = await db.write(NO_PARTITION, (session) =>
    session.send(PASS_EVENTS, [names, ...positions, clock.now()]),
  );
  return moved.length;
}

/** Selects the parts of a batch with events for a reader. */
function concernedParts(platform: Platform, consumer: Reader, { parts }: EventBatch) {
  const matches = matcherFor(platform, consumer);
  return parts
    .map((part) => ({
      part,
      partition: part.partition,
      counts: part.counts.filter(({ type }) => matches(type)),
    }))
    .filter(({ counts }) => counts.length > 0);
}

async function handleBatch(
  platform: Platform,
  { reader: consumer, state }: ReaderWithState,
  session: Transaction,
  batch: EventBatch,
): Promise<void> {
  const { from, last } = batch;
  state.attemptedUntil = last;
  const { handledUntil } = state;
  const continuous = handledUntil !== undefined && eventIdOf(handledUntil) === eventIdOf(from);
  const concerned = concernedParts(platform, consumer, batch);
  if (concerned.length === 0) return;
  await traceWork(
    () => describeBatch(consumer, concerned),
    async () => {
      if ("handleParts" in consumer) return consumer.handleParts({ tx: session.tx }, concerned);
      const isSelected = await selectParts(platform, consumer, { parts: concerned, continuous });
      for (const work of concerned.filter(isSelected)) {
        await handlePart(platform, consumer, session, { ...work, continuous });
      }
      return undefined;
    },
  );
}

function describeBatch({ name }: Reader, parts: readonly PartSummary[]): SpanDescription {
  const counts = parts.flatMap((part) => part.counts);
  const events = counts.reduce((sum, { count }) => sum + count, 0);
  return {
    name: `reader ${name}`,
    kind: "consumer",
    attributes: { "millrace.reader": name, "millrace.events": events },
  };
}

/** Asks a reader once for the whole batch, unless the batch has only one part. */
async function selectParts(
  services: Platform,
  consumer: Reader,
  { parts, continuous }: { parts: readonly PartSummary[]; continuous: boolean },
): Promise<(part: PartSummary) => boolean> {
  if (parts.length === 1 || !("selectParts" in consumer) || !consumer.selectParts) {
    return () => true;
  }
  return consumer.selectParts({ services, continuous }, parts);
}

interface PartitionWork extends Pick<ReaderContext, "continuous">, PartSummary {
  readonly part: BatchPart;
}

async function handlePart(
  platform: Platform,
  consumer: Exclude<Reader, { handleParts: unknown }>,
  session: Transaction,
  { part, partition, counts, continuous }: PartitionWork,
): Promise<void> {
  // An earlier handler may have switched the partition.
  const enterPartition = (): void => {
    if (!isIn(session, partition)) session.enter(partition);
  };
  enterPartition();
  const acts: Act[] = [];
  const because = (cause: RecordedEvent): WriteContext => {
    enterPartition();
    const caller = systemCaller(partition, causationOf(cause));
    const act = new Act({ session, services: platform, caller });
    acts.push(act);
    return act.ctx;
  };
  const events: SummaryContext["events"] = (types) => {
    enterPartition();
    return part.events(session, types);
  };
  const { tx } = session;
  const caller = systemCaller(partition, {
    correlationId: newCorrelationId(platform.clock),
    depth: 0,
  });
  const now = platform.clock.now();
  const onCommit = (listener: () => void): void => session.onCommit(listener);
  const ctx = { tx, now, caller, services: platform, because, continuous, onCommit };
  if ("handleSummary" in consumer) await consumer.handleSummary({ ...ctx, events }, counts);
  else await consumer.handle(ctx, await events(counts.map(({ type }) => type)));
  for (const act of acts) act.finish();
}

type TypeMatcher = (type: string) => boolean;

const matchersByPlatform = new WeakMap<Platform, Map<Reader, TypeMatcher>>();

/** The event types of a reader, compiled once, because they never change. */
function matcherFor(platform: Platform, consumer: Reader): TypeMatcher {
  let matchers = matchersByPlatform.get(platform);
  if (!matchers) matchersByPlatform.set(platform, (matchers = new Map()));
  let matcher = matchers.get(consumer);
  if (!matcher) {
    const { on } = consumer;
    matcher = compilePattern(typeof on === "function" ? on(platform) : on);
    matchers.set(consumer, matcher);
  }
  return matcher;
}

function isIn({ partition }: Transaction, { workspace, environment }: Partition): boolean {
  return partition.workspace === workspace && partition.environment === environment;
}

const NO_PARTITION: Partition = { workspace: NO_WORKSPACE, environment: "production" };
