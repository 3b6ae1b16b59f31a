import type { Platform } from "#kernel/contract.ts";
import { Loop, type LoopNext } from "#kernel/work/loop.ts";
import { LIVE_TEXT } from "./text-writer.ts";

/** Polls for text without a signal, for installations where processes cannot notify each other. */
const POLL_MS = 1_000;
const PARTS_MAX = 100;
const READ = `
  select f.n, t.attempt, t.position, t.text
    from unnest($1::int[], $2::text[], $3::bigint[], $4::int[]) as f (n, run_id, attempt, position)
    cross join lateral (
      select attempt, position, text from live_texts t
       where t.run_id = f.run_id and (t.attempt, t.position) >= (f.attempt, f.position)
       order by t.attempt, t.position limit ${PARTS_MAX}) t
   order by f.n, t.attempt, t.position`;

/** The client's position in a text. */
export interface TextPosition {
  /** Increases with each attempt; 0 before the first. */
  readonly attempt: string;
  readonly position: number;
}

/** A part of a text. It starts at `position` and replaces everything after it. */
export interface TextPart extends TextPosition {
  readonly text: string;
}

interface Follower {
  readonly runId: string;
  readonly wake: () => void;
  /** Read parts that the client has not taken yet. */
  parts: TextPart[];
  next: TextPosition;
}

/** Reads the texts of all followed runs in this process with one query. */
export class TextWatch {
  readonly #platform: Platform;
  readonly #followers = new Set<Follower>();
  #loop: Loop | undefined;
  #unsubscribe: () => void = () => undefined;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Follows the text of a run from a position. Calls `wake` when text is available. */
  follow(
    runId: string,
    next: TextPosition,
    wake: () => void,
  ): { readonly take: () => readonly TextPart[]; readonly close: () => void } {
    const follower: Follower = { runId, wake, parts: [], next };
    this.#followers.add(follower);
    this.#start();
    return {
      take: () => {
        const { parts } = follower;
        follower.parts = [];
        // No more text is read for a client until it takes the last parts.
        if (parts.length > 0) this.#loop?.wake();
        return parts;
      },
      close: () => {
        this.#followers.delete(follower);
        if (this.#followers.size === 0) this.#stop();
      },
    };
  }

  #start(): void {
    if (this.#loop) return this.#loop.wake();
    const { log, wakeSignal } = this.#platform;
    this.#loop = new Loop(
      () => this.#read(),
      (error) => log.error({ err: error }, "can't read the text of models"),
    );
    this.#unsubscribe = wakeSignal.subscribe((work) => {
      if (work === LIVE_TEXT) this.#loop?.wake();
    });
  }

  #stop(): void {
    this.#unsubscribe();
    void this.#loop?.stop();
    this.#loop = undefined;
  }

  async #read(): Promise<LoopNext> {
    const waiting = [...this.#followers].filter(({ parts }) => parts.length === 0);
    if (waiting.length === 0) return POLL_MS;
    const rows = await this.#platform.db.system<TextPart & { n: number }>(READ, [
      waiting.map((_, n) => n),
      waiting.map(({ runId }) => runId),
      waiting.map(({ next }) => next.attempt),
      waiting.map(({ next }) => next.position),
    ]);
    for (const [n, parts] of Map.groupBy(rows, (row) => row.n)) {
      const follower = waiting[n];
      const last = parts.at(-1);
      if (!follower || !last) continue;
      // Text of a failed attempt is dropped.
      follower.parts = parts.filter(({ attempt }) => attempt === last.attempt);
      follower.next = { attempt: last.attempt, position: last.position + last.text.length };
      follower.wake();
    }
    return POLL_MS;
  }
}

const watches = new WeakMap<Platform, TextWatch>();

/** The instance of this process. */
export function textWatchOf(platform: Platform): TextWatch {
  let watch = watches.get(platform);
  if (!watch) watches.set(platform, (watch = new TextWatch(platform)));
  return watch;
}
