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
 * Advances all readers. Readers at the same position share batches: one query and one commit for all. Readers
 * that lag catch up with the first, but not further, because the log can grow continuously. A reader that
 * fails, or lags by more than a batch, advances separately until it has caught up, so that it delays no other
 * reader.
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
      isBehind: false,
    }));
  }

  async step(): Promise<LoopNext> {
    const together = this.#members.filter(isWithOthers);
    const apart = this.#members.filter((member) => !isWithOthers(member));
    let soonest = together.length === 0 ? POLL_MS : await this.#advanceTogether(together);
    const until = apart.some(({ isBehind }) => isBehind)
      ? await this.#readForemost(together)
      : undefined;
    for (const member of apart) {
      const bound = member.isBehind ? until : undefined;
      soonest = sooner(soonest, await this.#advanceAlone(member, bound));
    }
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
      // Advancing each separately shows which one failed.
      return this.#advanceEach(members);
    }
    const next = await this.#advanceEach(members, await this.#readForemost(members));
    // There can be further events after the first reader's position.
    return sooner(next, "soon");
  }

  /** The position of the first reader in a group. Undefined for an empty group. */
  #readForemost(members: readonly GroupMember[]): Promise<LogPosition | undefined> {
    const readers = members.map(({ loop }) => loop.reader);
    return readForemost(this.#options.platform, readers);
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
      // A full batch that ends before the first reader's position: more events follow.
      member.isBehind = next === "again" && (until !== undefined || member.isBehind);
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
  /** True if it needs more than one batch to catch up. */
  isBehind: boolean;
}

function isWithOthers({ failures, isBehind }: GroupMember): boolean {
  return failures === 0 && !isBehind;
}

function sooner(left: LoopNext, right: LoopNext): LoopNext {
  if (left === "again" || right === "again") return "again";
  if (left === "soon" || right === "soon") return "soon";
  return Math.min(left, right);
}
