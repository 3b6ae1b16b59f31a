/** Finds the previous steps of every step, ignoring edge labels. */
import { isRecord } from "./check-context.ts";

/** Some of the steps of a workflow. */
export interface StepNames {
  readonly has: (id: string) => boolean;
}

/** Finds the steps before a step. The first call computes all of them in one pass over the edges. */
export class EarlierSteps {
  readonly #edges: readonly unknown[];
  /** One bit set per step, with its earlier steps. */
  #ancestors: readonly Uint32Array[] | undefined;
  readonly #places = new Map<string, number>();

  constructor(edges: readonly unknown[]) {
    this.#edges = edges;
  }

  /** The steps before this one. */
  of(id: unknown): StepNames {
    return { has: (other) => typeof id === "string" && this.#comesBefore(other, id) };
  }

  #comesBefore(other: string, id: string): boolean {
    const ancestors = (this.#ancestors ??= this.#find());
    const [from, to] = [this.#places.get(other), this.#places.get(id)];
    if (from === undefined || to === undefined) return false;
    return ((ancestors[to]?.[from >>> 5] ?? 0) & (1 << (from & 31))) !== 0;
  }

  #find(): readonly Uint32Array[] {
    const edges = this.#edges.filter(isRecord).flatMap(({ from, to }) => {
      const hasEnds = typeof from === "string" && typeof to === "string";
      return hasEnds ? [[this.#placeOf(from), this.#placeOf(to)] as const] : [];
    });
    const words = Math.ceil(this.#places.size / 32);
    const ancestors = Array.from(this.#places, () => new Uint32Array(words));
    const outgoing = Map.groupBy(edges, ([from]) => from);
    // A step is visited again if more earlier steps were found. In topological order this never happens.
    const pending = topologicalOrder(this.#places.size, edges);
    const isPending = new Uint8Array(this.#places.size).fill(1);
    for (let at = 0; at < pending.length; at += 1) {
      const from = pending[at] ?? 0;
      isPending[from] = 0;
      for (const [, to] of outgoing.get(from) ?? []) {
        if (!addBits(ancestors[to], ancestors[from], from) || isPending[to]) continue;
        isPending[to] = 1;
        pending.push(to);
      }
    }
    return ancestors;
  }

  #placeOf(id: string): number {
    const known = this.#places.get(id);
    if (known !== undefined) return known;
    this.#places.set(id, this.#places.size);
    return this.#places.size - 1;
  }
}

type NumberedEdge = readonly [from: number, to: number];

/** Indexes in edge order. Steps on a cycle come last. */
function topologicalOrder(count: number, edges: readonly NumberedEdge[]): number[] {
  const outgoing = Map.groupBy(edges, ([from]) => from);
  const incoming = new Uint32Array(count);
  for (const [, to] of edges) incoming[to] = (incoming[to] ?? 0) + 1;
  const order = [...incoming.keys()].filter((place) => incoming[place] === 0);
  for (let at = 0; at < order.length; at += 1) {
    for (const [, to] of outgoing.get(order[at] ?? 0) ?? []) {
      incoming[to] = (incoming[to] ?? 0) - 1;
      if (incoming[to] === 0) order.push(to);
    }
  }
  return [...order, ...[...incoming.keys()].filter((place) => (incoming[place] ?? 0) > 0)];
}

/** Adds a step and its earlier steps. Returns true if one was new. */
function addBits(
  to: Uint32Array | undefined,
  from: Uint32Array | undefined,
  place: number,
): boolean {
  if (!to || !from) return false;
  let isChanged = false;
  for (let word = 0; word < to.length; word += 1) {
    const own = word === place >>> 5 ? 1 << (place & 31) : 0;
    const before = to[word] ?? 0;
    to[word] = before | (from[word] ?? 0) | own;
    isChanged ||= to[word] !== before;
  }
  return isChanged;
}
