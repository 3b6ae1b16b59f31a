/** So long one piece of work may keep the event loop, which serves everybody. */
const TURN_MS = 10;

/**
 * Divides long work into turns of the event loop, by time: how long a row or a cell takes is up to who wrote it.
 * Between two pieces: `if (turn.isOver()) await turn.next();`
 */
export class TurnTimer {
  #startedAt = performance.now();

  isOver(): boolean {
    return performance.now() - this.#startedAt > TURN_MS;
  }

  /** Lets others be served, then begins the next turn. */
  async next(): Promise<void> {
    await new Promise(setImmediate);
    this.#startedAt = performance.now();
  }
}

/** Maps items one by one, in as many turns as that takes. */
export async function mapInTurns<T, U>(
  items: readonly T[],
  map: (item: T) => readonly U[],
): Promise<U[]> {
  const turn = new TurnTimer();
  const mapped: U[] = [];
  for (const item of items) {
    if (turn.isOver()) await turn.next();
    mapped.push(...map(item));
  }
  return mapped;
}
