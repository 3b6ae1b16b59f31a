/**
 * Reloads visible stale queries. A running request is allowed to finish, and then repeated once: restarting it on
 * every event would prevent slow lists from ever loading on a busy log.
 */
import type { Query, QueryClient } from "@tanstack/react-query";

export class Refresh {
  readonly #cache: QueryClient;
  /** Hashes of the queries to repeat. */
  readonly #late = new Set<string>();
  /** The start time of the newest request of each query. */
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
      // Deferred until other subscribers have run: a query can't restart while its end is being reported.
      queueMicrotask(() => void cache.invalidateQueries({ queryKey, exact: true }));
    });
  }

  /** Returns whether a query started after this time, so that its response includes earlier changes. */
  isBegunSince({ queryHash }: Query, atMs: number): boolean {
    return (this.#begunAt.get(queryHash) ?? Number.NEGATIVE_INFINITY) > atMs;
  }

  /** Marks matching queries as stale. */
  invalidate(matches: (query: Query) => boolean): void {
    for (const query of this.#cache.getQueryCache().findAll({ predicate: matches })) {
      if (query.state.fetchStatus === "fetching") this.#late.add(query.queryHash);
    }
    void this.#cache.invalidateQueries({
      predicate: (query) => matches(query) && query.state.fetchStatus !== "fetching",
    });
  }
}
