import type { Rig } from "./rig.ts";

/** How thorough a run is, and what it leaves behind. */
export interface Effort {
  readonly rounds: number;
  readonly roundMs: number;
  readonly profileFolder: string | undefined;
  /** How much there is, for a figure that can be measured at several sizes. */
  readonly size?: number;
}

/** One line of the table; `values` are its numbers, for machines. */
export interface Measured {
  readonly ours: string;
  readonly reference?: string;
  readonly ratio?: string;
  readonly target: string;
  readonly reached: boolean;
  readonly notes: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
}

/** Something that is measured, by its name on the command line. */
export interface Figure {
  readonly name: string;
  readonly measure: (rig: Rig, effort: Effort) => Promise<Measured>;
}
