import type { Database } from "../db/database.ts";
import type { LoopNext } from "./loop.ts";

/** How many lanes a kind of work is divided into: as many nodes can share it. */
export const SHARDS = 16;

const RENEW_MS = 1_000;
/** How soon we look again whether what we are leaving is over. */
const LEAVE_MS = 50;
const HOLD_MS = 5_000;
/** We stop this long before others may begin. */
const MARGIN_MS = 1_500;

/** Says that we are here; tells who else is, by the database's own clock. */
const GREET = `
  with here as (
    insert into lane_nodes (name, node, seen_at) values ($1, $2, clock_timestamp())
    on conflict (name, node) do update set seen_at = excluded.seen_at
  ), gone as (
    delete from lane_nodes where name = $1 and node <> $2
       and seen_at < clock_timestamp() - $3 * interval '1 millisecond'
  )
  select node from lane_nodes
   where name = $1 and node <> $2 and seen_at >= clock_timestamp() - $3 * interval '1 millisecond'`;
const HOLD = `
  insert into lanes as l (name, lane, node, held_until)
  select $1, lane, $2, clock_timestamp() + $4 * interval '1 millisecond'
    from unnest($3::smallint[]) as lane order by lane
  on conflict (name, lane) do update set node = excluded.node, held_until = excluded.held_until
   where l.node = excluded.node or l.held_until < clock_timestamp()
  returning lane`;
const LET_GO = "delete from lanes where name = $1 and node = $2 and lane = any($3::smallint[])";
const LEAVE = "delete from lane_nodes where name = $1 and node = $2";

export interface ShardLeasesOptions {
  readonly db: Database;
  readonly name: string;
  readonly node: string;
  /** Called with lanes that are newly ours. */
  readonly onGain: (lanes: readonly number[]) => void;
  /** Resolves when nothing in the lane is under way; another node begins only then. */
  readonly onLose: (lane: number) => Promise<void>;
  /** The lane is another node's already, since we did not renew it in time. */
  readonly onExpire: (lane: number) => void;
}

/**
 * Divides one kind of work among the nodes that do it. What a lane holds is one node's affair at a
 * time, so that limits, pace and order can be kept in that node's memory. The share of each follows
 * from who is there; a node that dies loses its lanes when it no longer renews them.
 */
export class ShardLeases {
  readonly #options: ShardLeasesOptions;
  /** Lanes that are no longer ours by right, and whether anything in them is under way. */
  readonly #leaving = new Map<number, "busy" | "over">();
  #held: ReadonlySet<number> = new Set();
  #heldUntilMs = 0;

  constructor(options: ShardLeasesOptions) {
    this.#options = options;
  }

  /** Whether work of this lane may be begun here and now. */
  holds(lane: number): boolean {
    return (
      this.#held.has(lane) && !this.#leaving.has(lane) && performance.now() < this.#heldUntilMs
    );
  }

  /**
   * Renews what we hold, takes what is ours by now, lets go of what is not. Nothing else writes to
   * the table: a lane that were let go during a renewal would be believed to be held.
   */
  async step(): Promise<LoopNext> {
    const { db, name, node, onGain } = this.#options;
    const askedAt = performance.now();
    const others = await db.system<{ node: string }>(GREET, [name, node, HOLD_MS]);
    const share = fairShardCount(
      node,
      others.map((other) => other.node),
    );
    for (const lane of this.#held) if (!share.has(lane)) this.#leave(lane);
    await this.#letGo(
      [...this.#leaving.keys()].filter((lane) => this.#leaving.get(lane) === "over"),
    );
    const wanted = [...new Set([...share, ...this.#leaving.keys()])];
    const rows = await db.system<{ lane: number }>(HOLD, [name, node, wanted, HOLD_MS]);
    const before = performance.now() < this.#heldUntilMs ? this.#held : new Set();
    const held = new Set(rows.map(({ lane }) => lane));
    // Another node took them while we did not renew: whatever waits here is its affair now.
    for (const lane of this.#held) if (!held.has(lane)) this.#options.onExpire(lane);
    this.#held = held;
    this.#heldUntilMs = askedAt + HOLD_MS - MARGIN_MS;
    const gained = [...this.#held].filter((lane) => !before.has(lane));
    if (gained.length > 0) onGain(gained);
    return this.#leaving.size > 0 ? LEAVE_MS : RENEW_MS;
  }

  /** Lets go of everything at once, for an end in good order. No step may be under way. */
  async close(): Promise<void> {
    const { db, name, node } = this.#options;
    await this.#letGo([...this.#held]);
    await db.system(LEAVE, [name, node]);
  }

  #leave(lane: number): void {
    if (this.#leaving.has(lane)) return;
    this.#leaving.set(lane, "busy");
    void this.#options.onLose(lane).then(() => this.#leaving.set(lane, "over"));
  }

  async #letGo(lanes: readonly number[]): Promise<void> {
    if (lanes.length === 0) return;
    const { db, name, node } = this.#options;
    this.#held = new Set([...this.#held].filter((lane) => !lanes.includes(lane)));
    await db.system(LET_GO, [name, node, lanes]);
    for (const lane of lanes) this.#leaving.delete(lane);
  }
}

/** Every node comes to the same division, without a word between them. */
export function fairShardCount(node: string, others: readonly string[]): ReadonlySet<number> {
  const nodes = [node, ...others].toSorted();
  const rank = nodes.indexOf(node);
  const lanes = Array.from({ length: SHARDS }, (_, lane) => lane);
  return new Set(lanes.filter((lane) => lane % nodes.length === rank));
}
