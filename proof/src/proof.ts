/** The options of a proof: its command line arguments. */
export type Options = readonly string[];

/** The result of a proof. */
export interface Finding {
  /** True if all checks passed. */
  readonly held: boolean;
  /** The actions and observations as lines, for the table in RESULTS.md. */
  readonly lines: readonly string[];
}

/** A long-running test, by its name on the command line. */
export interface Proof {
  readonly name: string;
  /** Its options for the usage message. */
  readonly usage: string;
  readonly run: (options: Options) => Promise<Finding>;
}
