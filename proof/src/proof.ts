/** What a proof is asked to do: its own options, as they stand on the command line after its name. */
export type Options = readonly string[];

/** What a proof found. */
export interface Finding {
  /** Whether everything held. */
  readonly held: boolean;
  /** What was done and seen, a line each; the table of RESULTS.md is made of them. */
  readonly lines: readonly string[];
}

/** Something that is shown by doing it for a while, by its name on the command line. */
export interface Proof {
  readonly name: string;
  /** The options that it takes, for the usage. */
  readonly usage: string;
  readonly run: (options: Options) => Promise<Finding>;
}
