import type { Platform, Reader } from "../contract.ts";
import { isConnectionLoss, isTransient } from "../db/errors.ts";
import type { LogPosition } from "../log/event.ts";
import { ReaderLoop } from "./reader-loop.ts";
import type { LoopNext } from "../work/loop.ts";
import { advanceGroup, readForemost } from "./reader.ts";

const FAILURE_DELAY_MIN_MS = 100;
const FAILURE_DELAY_MAX_MS = 10_000;
const POLL_MS = 1_000;

export interface ReaderGroupOptions {
  readonly platform: Platform;
  readonly readers: readonly Reader[];
  readonly onFailure: (reader: Reader, error: unknown) => void;
  readonly onDeadLetter: (reader: Reader, error: unknown) => void;
}

/**
 * Advances all readers. As long as they are at the same position, they share batches: one query and one
 * commit for all, where each by itself would cost its own. Those behind catch up with the foremost, and no further,
 * since the log may grow all the time. One that fails advances apart, so that it holds up no other, until it succeeds.
 */
export class ReaderGroup {
  readonly #options: ReaderGroupOptions;
  readonly #members: readonly GroupMember[];

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
    const [healthy, failing] = [
      this.#members.filter(({ failures }) => failures === 0),
      this.#members.filter(({ failures }) => failures > 0),
    ];
    let soonest = healthy.length === 0 ? POLL_MS : await this.#advanceTogether(healthy);
    for (const member of failing) soonest = sooner(soonest, await this.#advanceAlone(member));
    return soonest;
  }

  async #advanceTogether(members: readonly GroupMember[]): Promise<LoopNext> {
    const loops = members.map(({ loop }) => loop);
    const { platform } = this.#options;
    try {
      const next = await advanceGroup(platform, loops);
      if (next !== "apart") return next;
    } catch (error) {
      if (isConnectionLoss(error) || isTransient(error)) throw error;
      // Which of them failed shows when each advances alone.
      return this.#advanceEach(members);
    }
    const readers = loops.map(({ reader }) => reader);
    const next = await this.#advanceEach(members, await readForemost(platform, readers));
    // There may be more beyond the foremost.
    return sooner(next, "soon");
  }

  async #advanceEach(members: readonly GroupMember[], until?: LogPosition): Promise<LoopNext> {
    let soonest: LoopNext = POLL_MS;
    for (const member of members) {
      soonest = sooner(soonest, await this.#advanceAlone(member, until));
    }
    return soonest;
  }

  async #advanceAlone(member: GroupMember, until?: LogPosition): Promise<LoopNext> {
    const waitMs = member.retryAtMs - performance.now();
    if (waitMs > 0) return waitMs;
    try {
      const next = await member.loop.step(until);
      member.failures = 0;
      return next;
    } catch (error) {
      if (isConnectionLoss(error)) throw error;
      this.#options.onFailure(member.loop.reader, error);
      const delayMs = Math.min(FAILURE_DELAY_MIN_MS * 2 ** member.failures, FAILURE_DELAY_MAX_MS);
      member.failures += 1;
      member.retryAtMs = performance.now() + delayMs;
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
