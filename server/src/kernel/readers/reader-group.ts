import type { Platform, Reader } from "../contract.ts";
import { isConnectionLoss, isTransient } from "../db/errors.ts";
import { ReaderLoop } from "./reader-loop.ts";
import type { LoopNext } from "../work/loop.ts";
import { advanceTogether } from "./reader.ts";

const FAILURE_DELAY_MIN_MS = 100;
const FAILURE_DELAY_MAX_MS = 10_000;
const POLL_MS = 1_000;
/** How many steps they go apart after one of them failed. */
const STEPS_APART = 10;

export interface ReaderGroupOptions {
  readonly platform: Platform;
  readonly readers: readonly Reader[];
  readonly onFailure: (reader: Reader, error: unknown) => void;
  readonly onParked: (reader: Reader, error: unknown) => void;
}

/**
 * Leads all readers through the log. As long as they stand at the same place, they go together: one
 * look at the log and one commit for all, where each for itself would cost its own. When one fails,
 * or is behind, they go apart, so that it holds up nobody, until they meet again.
 */
export class ReaderGroup {
  readonly #options: ReaderGroupOptions;
  readonly #members: readonly Member[];
  #apart = 0;

  constructor(options: ReaderGroupOptions) {
    this.#options = options;
    this.#members = options.readers.map((reader) => ({
      follower: new ReaderLoop(options.platform, reader, (error) =>
        options.onParked(reader, error),
      ),
      failures: 0,
      restUntilMs: 0,
    }));
  }

  async step(): Promise<LoopNext> {
    if (this.#apart === 0) {
      const next = await this.#together();
      if (next !== "apart") return next;
    }
    this.#apart = Math.max(0, this.#apart - 1);
    let soonest: LoopNext = POLL_MS;
    for (const member of this.#members) soonest = sooner(soonest, await this.#alone(member));
    return soonest;
  }

  async #together(): Promise<LoopNext | "apart"> {
    const walkers = this.#members.map(({ follower }) => follower);
    try {
      return await advanceTogether(this.#options.platform, walkers);
    } catch (error) {
      if (isConnectionLoss(error) || isTransient(error)) throw error;
      // Whose fault it was shows when each goes alone.
      this.#apart = STEPS_APART;
      return "apart";
    }
  }

  async #alone(member: Member): Promise<LoopNext> {
    const restMs = member.restUntilMs - performance.now();
    if (restMs > 0) return restMs;
    try {
      const next = await member.follower.step();
      member.failures = 0;
      return next;
    } catch (error) {
      if (isConnectionLoss(error)) throw error;
      this.#options.onFailure(member.follower.reader, error);
      const delayMs = Math.min(FAILURE_DELAY_MIN_MS * 2 ** member.failures, FAILURE_DELAY_MAX_MS);
      member.failures += 1;
      member.restUntilMs = performance.now() + delayMs;
      // As long as one of them fails they can't go together.
      this.#apart = STEPS_APART;
      return delayMs;
    }
  }
}

interface Member {
  readonly follower: ReaderLoop;
  failures: number;
  restUntilMs: number;
}

function sooner(left: LoopNext, right: LoopNext): LoopNext {
  if (left === "again" || right === "again") return "again";
  if (left === "soon" || right === "soon") return "soon";
  return Math.min(left, right);
}
