/**
 * The clock of the database, on every node.
 *
 * Leases and deadlines are compared between nodes, so the system clock of a node must not decide them. Each
 * process measures its offset from the database clock and then uses the monotonic timer, which changes of the
 * system clock do not affect.
 */
export class Clock {
  #originMs = Date.now() - performance.now();

  nowMs(): number {
    return Math.round(this.#originMs + performance.now());
  }

  now(): Date {
    return new Date(this.nowMs());
  }

  /** `databaseMs` was read by a query sent at `sentAt` (performance.now) that has just returned. */
  calibrate(databaseMs: number, sentAt: number): void {
    this.#originMs = databaseMs - (sentAt + performance.now()) / 2;
  }
}
