import { readFileSync } from "node:fs";
import { signal } from "../embedded/processes.ts";

/** The maximum memory of a user's statement in the embedded database. */
export const STATEMENT_MEMORY_MAX_BYTES = 256 * 1024 * 1024;
const POLL_MS = 20;

/** A statement was cancelled because its server process used too much memory. */
export class MemoryExceeded extends Error {
  constructor(options?: ErrorOptions) {
    super("A statement exceeded its memory limit.", options);
    this.name = "MemoryExceeded";
  }
}

/**
 * Cancels statements that use too much memory. PostgreSQL limits sorts and hashes but not aggregates: a short
 * query can allocate gigabytes within seconds, and if the operating system kills that process, PostgreSQL
 * closes all connections. So for a database on this machine, the server processes are checked while they run
 * users' SQL.
 */
export class MemoryWatch {
  readonly #watched = new Map<number, { exceeded: boolean }>();
  #timer: NodeJS.Timeout | undefined;

  /** Runs work on the connection of this server process. Rejects with `MemoryExceeded` if it was cancelled. */
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
      // `pg_cancel_backend` sends this signal too, but needs a connection, and all may be in use. It has no effect
      // between two statements, so it is repeated.
      signal(pid, "SIGINT");
    }
  }
}

/** The private memory of a process. 0 if the system does not report it. */
export function ownMemoryOf(pid: number): number {
  try {
    // No disk access: the kernel generates this file when it is read.
    const [, kilobytes = "0"] =
      /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    return 0;
  }
}
