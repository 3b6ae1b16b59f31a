import type { Platform } from "../access/caller.ts";

/** What an engine leaves running. */
export interface RunningEngine {
  /** Resolves when what is under way has ended. */
  stop(): Promise<void>;
}

/**
 * Machinery that a domain keeps running beside readers and jobs, in the processes that do work: where
 * a row for each step would be too slow, or something must stay open in between.
 */
export interface Engine<T extends RunningEngine = RunningEngine> {
  readonly name: string;
  start(platform: Platform): T;
}
