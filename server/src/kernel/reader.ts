import { Act } from "./act.ts";
import { type Outside, type Services, systemCaller } from "./caller.ts";
import { compilePattern, patternSource } from "./condition/pattern.ts";
import { NO_WORKSPACE, type Partition, type Transaction } from "./db/database.ts";
import { eventIdOf, type EventType, type Position, type RecordedEvent } from "./event.ts";
import { causeOf, EVENT_COLUMNS_BUT_DATA, type EventRow, SETTLED, toEvent } from "./log.ts";
import type { Next } from "./loop.ts";
import type { ReadContext, WriteContext } from "./operation.ts";
import { withData } from "./whole-events.ts";

/**
 * Something that reacts to the log. Its writes and its cursor commit together, so that each event
 * takes effect exactly once, on whichever node; it sees every event once and in order.
 */
export interface Reader {
  readonly name: string;
  /** Event types, or patterns of them; a function where only the assembled product knows them. */
  readonly on: readonly string[] | ((services: Services) => readonly string[]);
  /** Where a reader that is new to this database begins. */
  readonly startsAt: "beginning" | "end";
  /** True when it does without the events' data, which may be large, or asks for it with `whole`. */
  readonly light?: boolean;
  /** All events are of one workspace and environment. No network calls: a transaction is open. */
  readonly handle: (ctx: ReaderContext, events: readonly RecordedEvent[]) => Promise<void>;
}

export interface ReaderContext<E extends EventType = EventType> extends ReadContext {
  /** The context in which to react to one of the events: what it emits has that event as its cause. */
  readonly because: (event: RecordedEvent) => WriteContext<E>;
  /** False when another process may have had this reader in hand since this one last had it. */
  readonly continuous: boolean;
  /** Some of the events with their data, for a light reader that has found out which concern it. */
  readonly whole: (events: readonly RecordedEvent[]) => Promise<readonly RecordedEvent[]>;
  /** Called when this batch has committed: to wake whoever carries out what was written. */
  readonly onCommit: (listener: () => void) => void;
}

const BATCH_EVENTS_MAX = 500;
const POLL_MS = 1_000;

export function reader<const E extends readonly EventType[] = []>(about: {
  readonly name: string;
  readonly on: Reader["on"];
  readonly startsAt: Reader["startsAt"];
  readonly light?: boolean;
  readonly emits?: E;
  handle(ctx: ReaderContext<E[number]>, events: readonly RecordedEvent[]): Promise<void>;
}): Reader {
  return about as Reader;
}

/**
 * The cursor of the reader that is furthest behind, and what comes after it, as far as it can no longer change; and whether there is
 * more that still can.
 */
const READ = `
  select r.epoch as at_epoch, r.xid as at_xid, r.seq as at_seq, e.epoch is not null as found,
         pg_snapshot_xmin(pg_current_snapshot()) < pg_snapshot_xmax(pg_current_snapshot()) as unsettled,
         ${EVENT_COLUMNS_BUT_DATA}, case when e.type ~ $3 then e.data end as data
    from readers r
    left join lateral
      (select e.* from events e
        where (e.epoch, e.xid, e.seq) > (r.epoch, r.xid, r.seq) and ${SETTLED}
        order by e.epoch, e.xid, e.seq limit $2) e on true
   where r.name = (select h.name from readers h where h.name = any($1::text[])
                    order by h.epoch, h.xid, h.seq limit 1)
   order by e.epoch, e.xid, e.seq`;

/** Matches no type: for readers that want no data. */
const NONE = "^$";
/** Matches every type. */
const ALL = "";

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

export async function registerReaders(outside: Outside, readers: readonly Reader[]): Promise<void> {
  for (const { name, startsAt } of readers) {
    const atEnd = startsAt === "end";
    await outside.db.write(NOWHERE, (session) =>
      session.send(REGISTER, [name, atEnd ? outside.epoch : 0, atEnd, outside.clock.now()]),
    );
  }
}

type CursorRow = EventRow & {
  readonly at_epoch: number;
  readonly at_xid: string;
  readonly at_seq: number;
  /** False in the one row of a reader that has nothing to read. */
  readonly found: boolean;
  readonly unsettled: boolean;
};

/** What a process remembers of a reader from one batch to the next. */
export interface Trail {
  /** Where this process left it last. */
  left: Position | undefined;
  /** The first event that it tried to handle last. */
  tried?: Position | undefined;
}

/** Handles one batch; resolves to when to look again. */
export async function advance(
  outside: Outside,
  one: Reader,
  eventsMax = BATCH_EVENTS_MAX,
  trail: Trail = { left: undefined },
): Promise<Next> {
  const { from, events, unsettled } = await look(outside, [one], eventsMax);
  const idle = unsettled ? "soon" : POLL_MS;
  if (events.length === 0) return idle;
  trail.tried = events[0]?.position;
  const continuous = trail.left !== undefined && eventIdOf(trail.left) === eventIdOf(from);
  const handled = await moveOn(outside, one, { from, events }, (session) =>
    handleAll(outside, one, session, { events, continuous }),
  );
  if (!handled) return POLL_MS;
  trail.left = events.at(-1)?.position;
  return events.length === eventsMax ? "again" : idle;
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
  outside: Outside,
  walkers: readonly { readonly reader: Reader; readonly trail: Trail }[],
): Promise<Next | "apart"> {
  const names = walkers.map(({ reader: one }) => one.name);
  const readers = walkers.map(({ reader: one }) => one);
  const { from, events, unsettled } = await look(outside, readers, BATCH_EVENTS_MAX);
  const idle = unsettled ? "soon" : POLL_MS;
  const last = events.at(-1)?.position;
  if (!last) return idle;
  const locked = await outside.db.write(NOWHERE, async (session) => {
    const rows = await session.send(LOCK_ALL, [names, from.epoch, String(from.xid), from.seq]);
    if (rows.length < names.length) return rows.length;
    for (const { reader: one, trail } of walkers) {
      trail.tried = events[0]?.position;
      const continuous = trail.left !== undefined && eventIdOf(trail.left) === eventIdOf(from);
      await handleAll(outside, one, session, { events, continuous });
    }
    const place = [last.epoch, String(last.xid), last.seq];
    void session.send(MOVE_ALL, [names, ...place, outside.clock.now()]);
    return rows.length;
  });
  if (locked === 0) return POLL_MS;
  if (locked < names.length) return "apart";
  for (const { trail } of walkers) trail.left = last;
  return events.length === BATCH_EVENTS_MAX ? "again" : idle;
}

/** Sets the event aside that was tried last, with the reason, unless another node has moved on. */
export async function park(
  outside: Outside,
  one: Reader,
  { tried }: Trail,
  reason: string,
): Promise<void> {
  const { from, events } = await look(outside, [one], 1);
  const [poison] = events;
  if (!poison || !tried || eventIdOf(poison.position) !== eventIdOf(tried)) return;
  const { position, workspace, environment } = poison;
  const place = [position.epoch, String(position.xid), position.seq, workspace, environment];
  await moveOn(outside, one, { from, events }, async (session) => {
    await session.send(PARK, [one.name, ...place, reason, outside.clock.now()]);
  });
}

/** Where the hindmost of these readers stands, and what comes next, with the data that they want. */
async function look(outside: Outside, readers: readonly Reader[], eventsMax: number) {
  const heavy = readers.filter(({ light }) => !light).map((each) => wishOf(outside, each));
  const sources = heavy.map(({ source }) => source);
  const wanted = sources.includes(ALL) ? ALL : sources.join("|") || NONE;
  const names = readers.map(({ name }) => name);
  const rows = await outside.db.system<CursorRow>(READ, [names, eventsMax, wanted]);
  const [first] = rows;
  if (!first) throw new Error(`No reader is registered: ${names.join(", ")}.`);
  return {
    from: { epoch: first.at_epoch, xid: Number(first.at_xid), seq: first.at_seq },
    events: first.found ? rows.map(toEvent) : [],
    unsettled: first.unsettled,
  };
}

/** Does the work and moves the cursor together; false when another node has this reader in hand. */
async function moveOn(
  outside: Outside,
  one: Reader,
  batch: { readonly from: Position; readonly events: readonly RecordedEvent[] },
  work: (session: Transaction) => Promise<void>,
): Promise<boolean> {
  const { from, events } = batch;
  const last = events.at(-1)?.position ?? from;
  return outside.db.write(NOWHERE, async (session) => {
    const locked = await session.send(LOCK, [one.name, from.epoch, String(from.xid), from.seq]);
    if (locked.length === 0) return false;
    await work(session);
    const place = [last.epoch, String(last.xid), last.seq];
    session.post(MOVE, [one.name, ...place, outside.clock.now()]);
    return true;
  });
}

type Batch = { readonly events: readonly RecordedEvent[] } & Pick<ReaderContext, "continuous">;

async function handleAll(
  outside: Outside,
  one: Reader,
  session: Transaction,
  { events, continuous }: Batch,
): Promise<void> {
  const { wants } = wishOf(outside, one);
  for (const group of groupByPartition(events.filter(({ type }) => wants(type)))) {
    if (!isIn(session, group.partition)) session.enter(group.partition);
    await handleGroup(outside, one, session, { events: group.events, continuous });
  }
}

async function handleGroup(
  outside: Outside,
  one: Reader,
  session: Transaction,
  { events, continuous }: Batch,
): Promise<void> {
  const [first] = events;
  if (!first) return;
  const { workspace, environment } = first;
  const partition = { workspace, environment };
  const acts: Act[] = [];
  const because = (cause: RecordedEvent): WriteContext => {
    // An act before this one may have gone elsewhere.
    if (!isIn(session, partition)) session.enter(partition);
    const caller = systemCaller(partition, causeOf(cause));
    const act = new Act({ session, services: outside, caller });
    acts.push(act);
    return act.ctx;
  };
  const { tx } = session;
  const caller = systemCaller(partition, causeOf(first));
  const now = outside.clock.now();
  const onCommit = (listener: () => void): void => session.onCommit(listener);
  const whole: ReaderContext["whole"] = (some) => withData(session, some);
  const ctx = { tx, now, caller, services: outside, because, continuous, whole, onCommit };
  await one.handle(ctx, events);
  for (const act of acts) act.finish();
}

/** The types that a reader wants, as a test and as the source of an expression. */
interface Wish {
  readonly wants: (type: string) => boolean;
  readonly source: string;
}

const wishes = new WeakMap<Outside, Map<Reader, Wish>>();

/** What a reader wants follows from the assembled product, and stays so. */
function wishOf(outside: Outside, one: Reader): Wish {
  let known = wishes.get(outside);
  if (!known) wishes.set(outside, (known = new Map()));
  let wish = known.get(one);
  if (!wish) {
    const patterns = typeof one.on === "function" ? one.on(outside) : one.on;
    const sources = patterns.map(patternSource);
    const source = sources.includes(ALL) ? ALL : sources.join("|") || NONE;
    known.set(one, (wish = { wants: compilePattern(patterns), source }));
  }
  return wish;
}

function isIn({ partition }: Transaction, { workspace, environment }: Partition): boolean {
  return partition.workspace === workspace && partition.environment === environment;
}

const NOWHERE: Partition = { workspace: NO_WORKSPACE, environment: "production" };

function groupByPartition(events: readonly RecordedEvent[]) {
  const groups = new Map<string, { partition: Partition; events: RecordedEvent[] }>();
  for (const recorded of events) {
    const { workspace, environment } = recorded;
    const key = `${workspace} ${environment}`;
    const group = groups.get(key);
    if (group) group.events.push(recorded);
    else groups.set(key, { partition: { workspace, environment }, events: [recorded] });
  }
  // In one order, since each may lock rows until the end: whoever does so too then waits, never in a circle.
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}
