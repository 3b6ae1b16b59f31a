/** One address can use half of all connections, because often a single mail server is in front. */
const SHARE = 2;
const EACH_MIN = 5;

/** Counts connections by address, so that one mail server cannot use all of them. */
export class ConnectionCounter {
  readonly #counts = new Map<string, number>();
  readonly #eachMax: number;

  constructor(connectionsMax: number) {
    this.#eachMax = Math.max(EACH_MIN, Math.ceil(connectionsMax / SHARE));
  }

  /** Counts a connection. Returns false if its address has too many. */
  enter(address: string): boolean {
    const count = (this.#counts.get(address) ?? 0) + 1;
    this.#counts.set(address, count);
    return count <= this.#eachMax;
  }

  leave(address: string): void {
    const count = (this.#counts.get(address) ?? 0) - 1;
    if (count > 0) this.#counts.set(address, count);
    else this.#counts.delete(address);
  }
}
