/**
 * Traverses the graph breadth-first. A hop is a single query from all items found in the previous hop, so round
 * trips are limited by the depth. Cycles are safe because an item is only reached once, by a shortest path.
 */
import type { RelationshipType } from "../relationships/relationship.ts";

/** An item one hop from another item. */
export interface TraversalStep {
  readonly id: string;
  /** The previous item. */
  readonly via: string;
  /** The type of the relationship between them. */
  readonly type: RelationshipType;
}

export interface ReachedItem {
  readonly hops: number;
  /** Null for the root. */
  readonly by: TraversalStep | null;
}

export interface TraversalOptions {
  readonly root: string;
  readonly depth: number;
  /** The maximum number of reached items, including the root. */
  readonly nodesMax: number;
  /** The traversal ends at this item. */
  readonly goal?: string;
  /**
   * Reads the neighbours of items, each once, ordered by id, at most `limit`. They can include items reached before.
   */
  readonly stepFrom: (ids: readonly string[], limit: number) => Promise<readonly TraversalStep[]>;
}

export interface Traversal {
  /** By id, nearest first. */
  readonly reached: ReadonlyMap<string, ReachedItem>;
  /** True if more items exist within the depth. */
  readonly truncated: boolean;
}

/** Finds all items within a number of hops. */
export async function traverse(options: TraversalOptions): Promise<Traversal> {
  const { root, depth, nodesMax, goal, stepFrom } = options;
  const reached = new Map<string, ReachedItem>([[root, { hops: 0, by: null }]]);
  let frontier: readonly string[] = [root];
  for (let hops = 1; hops <= depth && frontier.length > 0; hops += 1) {
    if (goal !== undefined && reached.has(goal)) break;
    // One more than the total limit is sufficient to detect too many new items.
    const steps = await stepFrom(frontier, nodesMax + 1);
    const fresh = steps.filter(({ id }) => !reached.has(id));
    const room = nodesMax - reached.size;
    for (const by of fresh.slice(0, room)) reached.set(by.id, { hops, by });
    if (fresh.length > room) return { reached, truncated: true };
    frontier = fresh.map(({ id }) => id);
  }
  return { reached, truncated: false };
}
