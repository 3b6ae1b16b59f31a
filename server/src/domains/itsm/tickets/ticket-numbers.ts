/**
 * Ticket numbers. A counter incremented by the creating transaction would stay locked until its commit, and serialise
 * all ticket creation. So a number is allocated before, in a separate transaction, together for all waiting callers.
 * A failed transaction leaves a gap.
 */
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Database, Partition } from "#kernel/db/database.ts";

/** Number prefixes by kind. */
export const LETTERS = {
  incident: "INC",
  change: "CHG",
  problem: "PRB",
  request: "REQ",
  article: "KB",
} as const;
export type NumberedKind = keyof typeof LETTERS;

const DIGITS = 7;

/** The readable number and its sort key. */
export interface TicketNumber {
  readonly no: number;
  readonly number: string;
}

/** Allocates the next number in the caller's workspace. Called in the `prepare` step. */
export async function nextTicketNumber(
  platform: Platform,
  caller: Caller,
  kind: NumberedKind,
): Promise<TicketNumber> {
  const partition = partitionOfCaller(caller);
  // A dry run does not use up a number.
  const no = caller.isDryRun
    ? await peekNumber(platform.db, caller, kind)
    : await queueForNumber(platform.db, partition, kind);
  return { no, number: formatTicketNumber(kind, no) };
}

/** Formats 12 as `INC0000012`. */
export function formatTicketNumber(kind: NumberedKind, no: number): string {
  return LETTERS[kind] + String(no).padStart(DIGITS, "0");
}

interface Waiter {
  readonly resolve: (no: number) => void;
  readonly reject: (error: unknown) => void;
}

/** Callers waiting for numbers, by kind and workspace. An entry exists while numbers are being allocated. */
const queues = new WeakMap<Database, Map<string, Waiter[]>>();

function queueForNumber(db: Database, partition: Partition, kind: NumberedKind): Promise<number> {
  let queuesByKey = queues.get(db);
  if (!queuesByKey) queues.set(db, (queuesByKey = new Map()));
  const key = `${partition.workspace} ${kind}`;
  const queue = queuesByKey.get(key);
  const number = new Promise<number>((resolve, reject) => {
    const waiter = { resolve, reject };
    if (queue) queue.push(waiter);
    else queuesByKey.set(key, [waiter]);
  });
  if (!queue) void serveQueue(db, queuesByKey, { key, partition, kind });
  return number;
}

async function serveQueue(
  db: Database,
  queuesByKey: Map<string, Waiter[]>,
  { key, partition, kind }: { key: string; partition: Partition; kind: NumberedKind },
): Promise<void> {
  for (;;) {
    const waiters = queuesByKey.get(key)?.splice(0) ?? [];
    if (waiters.length === 0) break;
    try {
      const last = await allocateNumbers(db, partition, { kind, count: waiters.length });
      for (const [index, { resolve }] of waiters.entries())
        resolve(last - waiters.length + 1 + index);
    } catch (error) {
      for (const { reject } of waiters) reject(error);
    }
  }
  queuesByKey.delete(key);
}

/** Numbers used by a dry run, by kind. */
const peeked = new WeakMap<Caller, Map<NumberedKind, number>>();

/** The next number, and the following ones for further calls in a dry run. */
async function peekNumber(db: Database, caller: Caller, kind: NumberedKind): Promise<number> {
  let counts = peeked.get(caller);
  if (!counts) peeked.set(caller, (counts = new Map()));
  const count = (counts.get(kind) ?? 0) + 1;
  counts.set(kind, count);
  const row = await db.read(partitionOfCaller(caller), (tx) =>
    tx.selectFrom("ticket_numbers").select("last").where("kind", "=", kind).executeTakeFirst(),
  );
  return (row?.last ?? 0) + count;
}

const ALLOCATE = `
  insert into ticket_numbers (kind, last) values ($1, $2)
  on conflict (workspace_id, kind) do update set last = ticket_numbers.last + excluded.last
  returning last`;

function allocateNumbers(
  db: Database,
  partition: Partition,
  { kind, count }: { readonly kind: NumberedKind; readonly count: number },
): Promise<number> {
  return db.write(partition, async (session) => {
    // Does not wait for the disk: the ticket commits later, and therefore never without its number.
    void session.send("set local synchronous_commit to off", []);
    const [row] = await session.send<{ last: number }>(ALLOCATE, [kind, count]);
    if (!row) throw new Error("An insert returned nothing.");
    return row.last;
  });
}
