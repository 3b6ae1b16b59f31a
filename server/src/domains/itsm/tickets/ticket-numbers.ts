/**
 * Numbers of tickets. A counter that is moved by the act that makes the ticket would be locked until
 * that commits, and all who make tickets would queue for it. So a number is taken beforehand, in a
 * transaction of its own, and those who want one at the same time take theirs together. An act that
 * fails leaves a gap, which people are used to.
 */
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Database, Partition } from "#kernel/db/database.ts";

/** The letters that numbers of each kind begin with. */
export const LETTERS = {
  incident: "INC",
  change: "CHG",
  problem: "PRB",
  request: "REQ",
  article: "KB",
} as const;
export type Numbered = keyof typeof LETTERS;

const DIGITS = 7;

/** A number as people quote it, and as lists sort by it. */
export interface TicketNumber {
  readonly no: number;
  readonly number: string;
}

/** The next number of a kind in the caller's workspace; for the `prepare` of what makes one. */
export async function nextTicketNumber(
  platform: Platform,
  { workspace, environment }: Caller,
  kind: Numbered,
): Promise<TicketNumber> {
  if (!workspace) throw new Error("A number belongs to a workspace.");
  const no = await next(platform.db, { workspace: workspace.key, environment }, kind);
  return { no, number: numberOf(kind, no) };
}

/** `INC0000012` of 12. */
export function numberOf(kind: Numbered, no: number): string {
  return LETTERS[kind] + String(no).padStart(DIGITS, "0");
}

interface Waiting {
  readonly resolve: (no: number) => void;
  readonly reject: (error: unknown) => void;
}

/** Who waits for numbers of one kind in one workspace; there is an entry while somebody takes some. */
const queues = new WeakMap<Database, Map<string, Waiting[]>>();

function next(db: Database, partition: Partition, kind: Numbered): Promise<number> {
  let all = queues.get(db);
  if (!all) queues.set(db, (all = new Map()));
  const key = `${partition.workspace} ${kind}`;
  const queue = all.get(key);
  const answer = new Promise<number>((resolve, reject) => {
    const waiting = { resolve, reject };
    if (queue) queue.push(waiting);
    else all.set(key, [waiting]);
  });
  if (!queue) void serve(db, all, { key, partition, kind });
  return answer;
}

async function serve(
  db: Database,
  all: Map<string, Waiting[]>,
  { key, partition, kind }: { key: string; partition: Partition; kind: Numbered },
): Promise<void> {
  for (;;) {
    const served = all.get(key)?.splice(0) ?? [];
    if (served.length === 0) break;
    try {
      const last = await take(db, partition, { kind, count: served.length });
      for (const [index, { resolve }] of served.entries())
        resolve(last - served.length + 1 + index);
    } catch (error) {
      for (const { reject } of served) reject(error);
    }
  }
  all.delete(key);
}

const TAKE = `
  insert into ticket_numbers (kind, last) values ($1, $2)
  on conflict (workspace_id, kind) do update set last = ticket_numbers.last + excluded.last
  returning last`;

function take(
  db: Database,
  partition: Partition,
  { kind, count }: { readonly kind: Numbered; readonly count: number },
): Promise<number> {
  return db.write(partition, async (session) => {
    // Nobody waits for the disk: what uses a number commits after it, and so is not kept without it.
    void session.send("set local synchronous_commit to off", []);
    const [row] = await session.send<{ last: number }>(TAKE, [kind, count]);
    if (!row) throw new Error("An insert returned nothing.");
    return row.last;
  });
}
