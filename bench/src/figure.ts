import type { Rig } from "./rig.ts";

/** The extent of a run, and its output. */
export interface Effort {
  readonly rounds: number;
  readonly roundMs: number;
  readonly profileFolder: string | undefined;
  /** The amount of data, for figures with a variable size. */
  readonly size?: number;
}

/** One line of the table. `values` contains its numbers for machines. */
export interface Measured {
  readonly ours: string;
  readonly reference?: string;
  readonly ratio?: string;
  readonly target: string;
  readonly reached: boolean;
  readonly notes: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
}

/** A measurement, by its name on the command line. */
export interface Figure {
  readonly name: string;
  readonly measure: (rig: Rig, effort: Effort) => Promise<Measured>;
}
