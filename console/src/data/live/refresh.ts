/**
 * Reads again what is on the screen and became stale. What is being read is let finish, and then read once more: to
 * begin it anew at each event, as a busy log would have it, would never let a slow list arrive.
 */
import type { Query, QueryClient } from "@tanstack/react-query";

export class Refresh {
  readonly #cache: QueryClient;
  /** Those to be read once more, by their hashes. */
  readonly #late = new Set<string>();
  /** When the newest reading of each began. */
  readonly #begunAt = new Map<string, number>();

  constructor(cache: QueryClient) {
    this.#cache = cache;
    cache.getQueryCache().subscribe((event) => {
      if (event.type === "removed") {
        this.#late.delete(event.query.queryHash);
        this.#begunAt.delete(event.query.queryHash);
      }
      if (event.type === "updated" && event.action.type === "fetch") {
        this.#begunAt.set(event.query.queryHash, performance.now());
      }
      if (event.type !== "updated" || event.query.state.fetchStatus !== "idle") return;
      const { queryHash, queryKey } = event.query;
      if (!this.#late.delete(queryHash)) return;
      // After the one who was told of the end: a reading can't begin inside of another's end.
      queueMicrotask(() => void cache.invalidateQueries({ queryKey, exact: true }));
    });
  }

  /** Says whether a query was begun after this time, so that its answer knows what was there by then. */
  isBegunSince({ queryHash }: Query, atMs: number): boolean {
    return (this.#begunAt.get(queryHash) ?? Number.NEGATIVE_INFINITY) > atMs;
  }

  /** Makes whatever matches stale. */
  invalidate(matches: (query: Query) => boolean): void {
    for (const query of this.#cache.getQueryCache().findAll({ predicate: matches })) {
      if (query.state.fetchStatus === "fetching") this.#late.add(query.queryHash);
    }
    void this.#cache.invalidateQueries({
      predicate: (query) => matches(query) && query.state.fetchStatus !== "fetching",
    });
  }
}
