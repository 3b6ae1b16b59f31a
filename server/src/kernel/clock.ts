/**
 * The clock of the database, on every node.
 *
 * Leases and deadlines are compared between nodes, so a node with a wrong clock must not decide by
 * it. Each process measures its distance from the database's clock and counts on from there with the
 * monotonic timer, which no adjustment of the system clock moves.
 */
export class Clock {
  #originMs = Date.now() - performance.now();

  nowMs(): number {
    return Math.round(this.#originMs + performance.now());
  }

  now(): Date {
    return new Date(this.nowMs());
  }

  /** `databaseMs` was read by a query that was sent at `sentAt` (performance.now) and has just returned. */
  calibrate(databaseMs: number, sentAt: number): void {
    this.#originMs = databaseMs - (sentAt + performance.now()) / 2;
  }
}
