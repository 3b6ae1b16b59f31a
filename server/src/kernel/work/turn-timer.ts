/**
 * Cooperative scheduling of long work. One process serves all workspaces on one event loop, so work whose size users
 * control is split into pieces: together they use at most `TURN_MS` per event loop turn, regardless of the number of
 * requests. Waiting requests continue one at a time, alternating between workspaces. A request of a few milliseconds
 * never waits here.
 */
import { AsyncLocalStorage } from "node:async_hooks";

/** A small request takes several event loop turns, possibly all after long work. */
const TURN_MS = 8;

/** The workspace of the current call. */
const workspaces = new AsyncLocalStorage<string>();

/** Runs a call whose long work alternates with that of other workspaces. */
export function runForWorkspace<T>(workspace: string | undefined, call: () => T): T {
  return workspace === undefined ? call() : workspaces.run(workspace, call);
}

/** Splits work by time, because users control how long a row or a cell takes. */
export class TurnTimer {
  #hasBegun = false;

  /** Call `if (turn.isOver()) await turn.next();` before each piece. A single piece costs nothing. */
  isOver(): boolean {
    if (this.#hasBegun) return performance.now() > turns.endMs();
    this.#hasBegun = true;
    return false;
  }

  /** Yields, then begins the next turn. */
  next(): Promise<void> {
    return turns.wait(workspaces.getStore() ?? "");
  }
}

/** The event loop turns and their waiting work. */
class Turns {
  /** When the long work of the current turn must pause. Undefined before the first piece. */
  #endMs: number | undefined;
  #isScheduled = false;
  /** By workspace, the least recently served first. */
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

  /** Begins a turn: one waiting task continues. */
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

/** Long work that can pause at each yield. */
export type Steps<T> = Generator<undefined, T>;

/** Runs work in several turns. */
export async function runInTurns<T>(steps: Steps<T>): Promise<T> {
  const turn = new TurnTimer();
  for (;;) {
    if (turn.isOver()) await turn.next();
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Runs work without a pause, if it is short or must not be interrupted. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Processes items in several turns. */
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

/** Maps items in several turns. */
export async function mapInTurns<T, U>(
  items: readonly T[],
  map: (item: T) => readonly U[],
): Promise<U[]> {
  const mapped: U[] = [];
  await forEachInTurns(items, (item) => void mapped.push(...map(item)));
  return mapped;
}
