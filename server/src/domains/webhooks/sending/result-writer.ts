import { setTimeout as delay } from "node:timers/promises";
import type { Platform } from "#kernel/contract.ts";
import { Loop, type LoopNext } from "#kernel/work/loop.ts";
import { markDeadLetter } from "./dead-letter.ts";
import { settle, type DeliveryResult } from "./attempt-result.ts";

const BATCH_MAX = 500;
/** Outcomes gather for this long: one statement writes many of them. */
const GATHER_MS = 5;
const IDLE_MS = 60_000;
const WRITTEN_MAX_MS = 500;

/** Writes the outcomes of attempts, many at a time, until each is written. */
export class ResultWriter {
  readonly #platform: Platform;
  readonly #onSettled: (settlements: readonly DeliveryResult[]) => void;
  readonly #waiting: DeliveryResult[] = [];
  readonly #onWritten: (() => void)[] = [];
  readonly #loop: Loop;

  constructor(platform: Platform, onSettled: (settlements: readonly DeliveryResult[]) => void) {
    this.#platform = platform;
    this.#onSettled = onSettled;
    const onFailure = (error: unknown): void =>
      platform.log.error({ err: error }, "outcomes of deliveries can't be written");
    this.#loop = new Loop(() => this.#step(), onFailure, GATHER_MS);
  }

  add(settlement: DeliveryResult): void {
    this.#waiting.push(settlement);
    this.#loop.wake();
  }

  /** Resolves at the next write, or when some time has passed without one. */
  async written(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onWritten.push(resolve);
    await Promise.race([promise, delay(WRITTEN_MAX_MS)]);
  }

  /** Writes what there is, then ends. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    while (this.#waiting.length > 0) await this.#step();
  }

  async #step(): Promise<LoopNext> {
    const batch = this.#waiting.slice(0, BATCH_MAX);
    const failed = batch.filter(({ verdict }) => verdict.kind === "failed");
    const others = batch.filter(({ verdict }) => verdict.kind !== "failed");
    if (others.length > 0) await this.#write(others, () => settle(this.#platform, others));
    for (const one of failed) await this.#write([one], () => markDeadLetter(this.#platform, one));
    return this.#waiting.length > 0 ? "again" : IDLE_MS;
  }

  /** What can't be written stays, and is written with the next. */
  async #write(settlements: readonly DeliveryResult[], write: () => Promise<void>): Promise<void> {
    await write();
    const written = new Set(settlements);
    const left = this.#waiting.filter((one) => !written.has(one));
    this.#waiting.splice(0, this.#waiting.length, ...left);
    this.#onSettled(settlements);
    for (const tell of this.#onWritten.splice(0)) tell();
  }
}
