import type { Platform, Reader } from "../contract.ts";
import { isConnectionLoss, isTransient } from "../db/errors.ts";
import { ReaderLoop } from "./reader-loop.ts";
import type { LoopNext } from "../work/loop.ts";
import { advanceGroup } from "./reader.ts";

const FAILURE_DELAY_MIN_MS = 100;
const FAILURE_DELAY_MAX_MS = 10_000;
const POLL_MS = 1_000;
/** How many steps the readers advance apart after one of them failed. */
const STEPS_APART = 10;

export interface ReaderGroupOptions {
  readonly platform: Platform;
  readonly readers: readonly Reader[];
  readonly onFailure: (reader: Reader, error: unknown) => void;
  readonly onDeadLetter: (reader: Reader, error: unknown) => void;
}

/**
 * Advances all readers. As long as they are at the same position, they share batches: one query and one
 * commit for all, where each by itself would cost its own. When one fails or is behind, they advance apart,
 * so that it holds up no other, until they are at one position again.
 */
export class ReaderGroup {
  readonly #options: ReaderGroupOptions;
  readonly #members: readonly GroupMember[];
  #apart = 0;

  constructor(options: ReaderGroupOptions) {
    this.#options = options;
    this.#members = options.readers.map((reader) => ({
      loop: new ReaderLoop(options.platform, reader, (error) =>
        options.onDeadLetter(reader, error),
      ),
      failures: 0,
      retryAtMs: 0,
    }));
  }

  async step(): Promise<LoopNext> {
    if (this.#apart === 0) {
      const next = await this.#advanceTogether();
      if (next !== "apart") return next;
    }
    this.#apart = Math.max(0, this.#apart - 1);
    let soonest: LoopNext = POLL_MS;
    for (const member of this.#members) soonest = sooner(soonest, await this.#advanceAlone(member));
    return soonest;
  }

  async #advanceTogether(): Promise<LoopNext | "apart"> {
    const loops = this.#members.map(({ loop }) => loop);
    try {
      return await advanceGroup(this.#options.platform, loops);
    } catch (error) {
      if (isConnectionLoss(error) || isTransient(error)) throw error;
      // Which of them failed shows when each advances alone.
      this.#apart = STEPS_APART;
      return "apart";
    }
  }

  async #advanceAlone(member: GroupMember): Promise<LoopNext> {
    const waitMs = member.retryAtMs - performance.now();
    if (waitMs > 0) return waitMs;
    try {
      const next = await member.loop.step();
      member.failures = 0;
      return next;
    } catch (error) {
      if (isConnectionLoss(error)) throw error;
      this.#options.onFailure(member.loop.reader, error);
      const delayMs = Math.min(FAILURE_DELAY_MIN_MS * 2 ** member.failures, FAILURE_DELAY_MAX_MS);
      member.failures += 1;
      member.retryAtMs = performance.now() + delayMs;
      // As long as one of them fails they can't share a batch.
      this.#apart = STEPS_APART;
      return delayMs;
    }
  }
}

interface GroupMember {
  readonly loop: ReaderLoop;
  failures: number;
  retryAtMs: number;
}

function sooner(left: LoopNext, right: LoopNext): LoopNext {
  if (left === "again" || right === "again") return "again";
  if (left === "soon" || right === "soon") return "soon";
  return Math.min(left, right);
}
