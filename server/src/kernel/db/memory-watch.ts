import { readFileSync } from "node:fs";
import { signal } from "../embedded/processes.ts";

/** The memory that a statement of somebody may take in the embedded database. */
export const STATEMENT_MEMORY_MAX_BYTES = 256 * 1024 * 1024;
const POLL_MS = 20;

/** A statement was cancelled because the database's process for it had grown too much. */
export class MemoryExceeded extends Error {
  constructor(options?: ErrorOptions) {
    super("A statement took more memory than it may.", options);
    this.name = "MemoryExceeded";
  }
}

/**
 * Cancels statements that take too much memory. PostgreSQL itself bounds sorts and hashes but no aggregate: a
 * text of a few lines may collect gigabytes within seconds, and when the system then kills that process, all
 * connections of everybody end. So we look at the processes of a database on our own machine while they work on
 * the SQL of people.
 */
export class MemoryWatch {
  readonly #watched = new Map<number, { exceeded: boolean }>();
  #timer: NodeJS.Timeout | undefined;

  /** Runs work on the connection whose server process this is; rejects with `MemoryExceeded` when it was cancelled. */
  async run<T>(pid: number, work: () => Promise<T>): Promise<T> {
    const state = { exceeded: false };
    this.#watched.set(pid, state);
    this.#timer ??= setInterval(() => this.#poll(), POLL_MS);
    try {
      return await work();
    } catch (error) {
      throw state.exceeded ? new MemoryExceeded({ cause: error }) : error;
    } finally {
      this.#watched.delete(pid);
      if (this.#watched.size === 0) {
        clearInterval(this.#timer);
        this.#timer = undefined;
      }
    }
  }

  #poll(): void {
    for (const [pid, state] of this.#watched) {
      if (ownMemoryOf(pid) <= STATEMENT_MEMORY_MAX_BYTES) continue;
      state.exceeded = true;
      // As `pg_cancel_backend` does, but without a connection: those may all be taken. Between two statements it
      // has no effect, and is repeated.
      signal(pid, "SIGINT");
    }
  }
}

/** The memory of a process that it shares with none; 0 where the system does not tell. */
export function ownMemoryOf(pid: number): number {
  try {
    // Not a disk: the kernel writes the text as it is read.
    const [, kilobytes = "0"] =
      /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    return 0;
  }
}
