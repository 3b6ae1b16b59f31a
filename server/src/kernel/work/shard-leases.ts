import type { Database } from "../db/database.ts";
import type { LoopNext } from "./loop.ts";

/** The number of shards per kind of work, and so the maximum number of nodes that share it. */
export const SHARDS = 16;

const RENEW_MS = 1_000;
/** The interval for checking whether a shard to release is idle. */
const RELEASE_CHECK_MS = 50;
const LEASE_MS = 5_000;
/** Work stops this long before the lease expires and other nodes can start. */
const LEASE_MARGIN_MS = 1_500;

/** Registers this node and returns the other live ones, by the database clock. */
const HEARTBEAT = `
  with alive as (
    insert into lane_nodes (name, node, seen_at) values ($1, $2, clock_timestamp())
    on conflict (name, node) do update set seen_at = excluded.seen_at
  ), expired as (
    delete from lane_nodes where name = $1 and node <> $2
       and seen_at < clock_timestamp() - $3 * interval '1 millisecond'
  )
  select node from lane_nodes
   where name = $1 and node <> $2 and seen_at >= clock_timestamp() - $3 * interval '1 millisecond'`;
const ACQUIRE = `
  insert into lanes as l (name, lane, node, held_until)
  select $1, lane, $2, clock_timestamp() + $4 * interval '1 millisecond'
    from unnest($3::smallint[]) as lane order by lane
  on conflict (name, lane) do update set node = excluded.node, held_until = excluded.held_until
   where l.node = excluded.node or l.held_until < clock_timestamp()
  returning lane as shard`;
const RELEASE = "delete from lanes where name = $1 and node = $2 and lane = any($3::smallint[])";
const UNREGISTER = "delete from lane_nodes where name = $1 and node = $2";

export interface ShardLeasesOptions {
  readonly db: Database;
  readonly name: string;
  readonly node: string;
  /** Called with newly held shards. */
  readonly onGain: (shards: readonly number[]) => void;
  /** Resolves when no work in the shard is running. Another node starts only then. */
  readonly onLose: (shard: number) => Promise<void>;
  /** Called when another node holds the shard, because this node did not renew the lease in time. */
  readonly onExpire: (shard: number) => void;
}

/**
 * Distributes one kind of work among nodes by leases on shards. One node at a time holds a shard, so that limits, pace
 * and order can be kept in its memory. The shares depend on which nodes are alive. A node that dies loses its shards
 * when their leases expire.
 */
export class ShardLeases {
  readonly #options: ShardLeasesOptions;
  /** Shards to release, busy while work in them is running. */
  readonly #releasing = new Map<number, "busy" | "idle">();
  #held: ReadonlySet<number> = new Set();
  #heldUntilMs = 0;

  constructor(options: ShardLeasesOptions) {
    this.#options = options;
  }

  /** True if work of this shard may be started on this node now. */
  holds(shard: number): boolean {
    return (
      this.#held.has(shard) && !this.#releasing.has(shard) && performance.now() < this.#heldUntilMs
    );
  }

  /**
   * Renews held leases, acquires this node's share and releases the rest. Other code must not write to the
   * table: a shard released during a renewal would be treated as held.
   */
  async step(): Promise<LoopNext> {
    const { db, name, node, onGain } = this.#options;
    const startedAtMs = performance.now();
    const others = await db.system<{ node: string }>(HEARTBEAT, [name, node, LEASE_MS]);
    const share = assignShards(
      node,
      others.map((other) => other.node),
    );
    for (const shard of this.#held) if (!share.has(shard)) this.#startRelease(shard);
    await this.#release(
      [...this.#releasing.keys()].filter((shard) => this.#releasing.get(shard) === "idle"),
    );
    const acquired = [...new Set([...share, ...this.#releasing.keys()])];
    const rows = await db.system<{ shard: number }>(ACQUIRE, [name, node, acquired, LEASE_MS]);
    const before = performance.now() < this.#heldUntilMs ? this.#held : new Set();
    const held = new Set(rows.map(({ shard }) => shard));
    // Another node took them before this node renewed its leases, and owns their waiting work now.
    for (const shard of this.#held) if (!held.has(shard)) this.#options.onExpire(shard);
    this.#held = held;
    this.#heldUntilMs = startedAtMs + LEASE_MS - LEASE_MARGIN_MS;
    const gained = [...this.#held].filter((shard) => !before.has(shard));
    if (gained.length > 0) onGain(gained);
    return this.#releasing.size > 0 ? RELEASE_CHECK_MS : RENEW_MS;
  }

  /** Releases all shards for a shutdown. Must not run during a step. */
  async close(): Promise<void> {
    const { db, name, node } = this.#options;
    await this.#release([...this.#held]);
    await db.system(UNREGISTER, [name, node]);
  }

  #startRelease(shard: number): void {
    if (this.#releasing.has(shard)) return;
    this.#releasing.set(shard, "busy");
    void this.#options.onLose(shard).then(() => this.#releasing.set(shard, "idle"));
  }

  async #release(shards: readonly number[]): Promise<void> {
    if (shards.length === 0) return;
    const { db, name, node } = this.#options;
    this.#held = new Set([...this.#held].filter((shard) => !shards.includes(shard)));
    await db.system(RELEASE, [name, node, shards]);
    for (const shard of shards) this.#releasing.delete(shard);
  }
}

/** The shards of a node. Every node computes the same distribution without communication. */
export function assignShards(node: string, others: readonly string[]): ReadonlySet<number> {
  const nodes = [node, ...others].toSorted();
  const rank = nodes.indexOf(node);
  const shards = Array.from({ length: SHARDS }, (_, shard) => shard);
  return new Set(shards.filter((shard) => shard % nodes.length === rank));
}
