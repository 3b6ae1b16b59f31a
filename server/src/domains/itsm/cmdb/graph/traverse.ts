/**
 * Breadth-first traversal of the graph. Each hop is one query about all items that the last one reached,
 * so that a traversal costs as many round trips as it is deep. Cycles end by themselves, since an item is
 * reached once, by the shortest path.
 */
import type { RelationshipType } from "../relationships/relationship.ts";

/** An item that is one hop away from another. */
export interface TraversalStep {
  readonly id: string;
  /** The item that it was reached from. */
  readonly via: string;
  /** Of the relationship between them. */
  readonly type: RelationshipType;
}

/** An item that was reached. */
export interface ReachedItem {
  readonly hops: number;
  /** Null for the root. */
  readonly by: TraversalStep | null;
}

export interface TraversalOptions {
  readonly root: string;
  readonly depth: number;
  /** How many items may be reached, the root among them. */
  readonly nodesMax: number;
  /** The traversal ends when it reaches this item. */
  readonly goal?: string;
  /**
   * Reads the neighbours of some items, each once, ordered by id, at most `limit`; they may have been
   * reached before.
   */
  readonly stepFrom: (ids: readonly string[], limit: number) => Promise<readonly TraversalStep[]>;
}

export interface Traversal {
  /** By id, the nearest first. */
  readonly reached: ReadonlyMap<string, ReachedItem>;
  /** True when more items are within the depth. */
  readonly truncated: boolean;
}

/** Finds all items within some hops of one. */
export async function traverse(options: TraversalOptions): Promise<Traversal> {
  const { root, depth, nodesMax, goal, stepFrom } = options;
  const reached = new Map<string, ReachedItem>([[root, { hops: 0, by: null }]]);
  let frontier: readonly string[] = [root];
  for (let hops = 1; hops <= depth && frontier.length > 0; hops += 1) {
    if (goal !== undefined && reached.has(goal)) break;
    // One more than the limit of all is enough to see that there are too many new ones.
    const steps = await stepFrom(frontier, nodesMax + 1);
    const fresh = steps.filter(({ id }) => !reached.has(id));
    const room = nodesMax - reached.size;
    for (const by of fresh.slice(0, room)) reached.set(by.id, { hops, by });
    if (fresh.length > room) return { reached, truncated: true };
    frontier = fresh.map(({ id }) => id);
  }
  return { reached, truncated: false };
}
