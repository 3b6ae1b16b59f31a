/**
 * Walks over the graph, breadth first: each hop is one question about all items that the last one
 * reached, so that a walk costs as many round trips as it is deep, and cycles end by themselves, since
 * an item is reached once and by the shortest way.
 */
import type { RelationshipType } from "../relationships/relationship.ts";

/** An item that is one hop away from another. */
export interface Step {
  readonly id: string;
  /** The item that it was reached from. */
  readonly via: string;
  /** Of the relationship between them. */
  readonly type: RelationshipType;
}

/** An item that was reached. */
export interface ReachedItem {
  readonly hops: number;
  /** Null where the walk began. */
  readonly by: Step | null;
}

export interface TraversalOptions {
  readonly root: string;
  readonly depth: number;
  /** How many items may be reached, the root among them. */
  readonly nodesMax: number;
  /** Ends when this one was reached. */
  readonly goal?: string;
  /**
   * The items next to some others, each once and in the order of their ids, and no more than `limit`;
   * they may have been reached before.
   */
  readonly stepFrom: (ids: readonly string[], limit: number) => Promise<readonly Step[]>;
}

export interface Traversal {
  /** By id, the nearest first. */
  readonly reached: ReadonlyMap<string, ReachedItem>;
  /** Whether there are more within the depth than were counted. */
  readonly truncated: boolean;
}

/** Finds all items within some hops of one. */
export async function traverse(walking: TraversalOptions): Promise<Traversal> {
  const { root, depth, nodesMax, goal, stepFrom } = walking;
  const reached = new Map<string, ReachedItem>([[root, { hops: 0, by: null }]]);
  let frontier: readonly string[] = [root];
  for (let hops = 1; hops <= depth && frontier.length > 0; hops += 1) {
    if (goal !== undefined && reached.has(goal)) break;
    // Of one more than may be reached at all, enough are new to tell that there are too many.
    const steps = await stepFrom(frontier, nodesMax + 1);
    const fresh = steps.filter(({ id }) => !reached.has(id));
    const room = nodesMax - reached.size;
    for (const by of fresh.slice(0, room)) reached.set(by.id, { hops, by });
    if (fresh.length > room) return { reached, truncated: true };
    frontier = fresh.map(({ id }) => id);
  }
  return { reached, truncated: false };
}
