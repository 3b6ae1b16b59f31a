/**
 * Long work in turns. One process serves every workspace on one event loop, so work whose size a person chooses is cut
 * into parts: together they take at most `TURN_MS` of one turn of the loop, however many requests have such work.
 * Those that wait continue one at a time, each workspace in its turn. A request of few milliseconds never waits here.
 */
import { AsyncLocalStorage } from "node:async_hooks";

/** A small request takes several turns of the loop, and each of them may come behind a piece of long work. */
const TURN_MS = 8;

/** The workspace that the current call works for. */
const workspaces = new AsyncLocalStorage<string>();

/** Runs a call whose long work takes turns with that of other workspaces. */
export function runForWorkspace<T>(workspace: string | undefined, call: () => T): T {
  return workspace === undefined ? call() : workspaces.run(workspace, call);
}

/** Divides work by time: how long a row or a cell takes is up to who wrote it. */
export class TurnTimer {
  #hasBegun = false;

  /** `if (turn.isOver()) await turn.next();` comes before each piece; work of one piece costs nothing. */
  isOver(): boolean {
    if (this.#hasBegun) return performance.now() > turns.endMs();
    this.#hasBegun = true;
    return false;
  }

  /** Lets others be served, then begins the next turn. */
  next(): Promise<void> {
    return turns.wait(workspaces.getStore() ?? "");
  }
}

/** The turns of the event loop, and what waits for them. */
class Turns {
  /** When the long work of the current turn must pause; undefined before the first piece. */
  #endMs: number | undefined;
  #isScheduled = false;
  /** By workspace; the one that was served longest ago comes first. */
  readonly #waiting = new Map<string, (() => void)[]>();

  endMs(): number {
    this.#endMs ??= performance.now() + TURN_MS;
    this.#schedule();
    return this.#endMs;
  }

  wait(workspace: string): Promise<void> {
    return new Promise((resolve) => {
      const queue = this.#waiting.get(workspace);
      if (queue) queue.push(resolve);
      else this.#waiting.set(workspace, [resolve]);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#begin());
  }

  /** Begins a turn: one of those that wait continues. */
  #begin(): void {
    this.#isScheduled = false;
    this.#endMs = undefined;
    const [next] = this.#waiting;
    if (!next) return;
    const [workspace, queue] = next;
    this.#waiting.delete(workspace);
    const resume = queue.shift();
    if (queue.length > 0) this.#waiting.set(workspace, queue);
    this.#endMs = performance.now() + TURN_MS;
    this.#schedule();
    resume?.();
  }
}

const turns = new Turns();

/** Long work that may pause wherever it yields. */
export type Steps<T> = Generator<undefined, T>;

/** Does work in as many turns as it takes. */
export async function runInTurns<T>(steps: Steps<T>): Promise<T> {
  const turn = new TurnTimer();
  for (;;) {
    if (turn.isOver()) await turn.next();
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Does work without a pause, where it is known to be short or nothing may come between. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Does something with each item, in as many turns as that takes. */
export async function forEachInTurns<T>(
  items: Iterable<T>,
  work: (item: T) => void,
): Promise<void> {
  const turn = new TurnTimer();
  for (const item of items) {
    if (turn.isOver()) await turn.next();
    work(item);
  }
}

/** Maps items one by one, in as many turns as that takes. */
export async function mapInTurns<T, U>(
  items: readonly T[],
  map: (item: T) => readonly U[],
): Promise<U[]> {
  const mapped: U[] = [];
  await forEachInTurns(items, (item) => void mapped.push(...map(item)));
  return mapped;
}
