import type { Target } from "../src/load.ts";
import type { Pin } from "./install.ts";
import type { Ours } from "./ours.ts";
import type { Stage } from "./stage.ts";

/** The same work, asked of both. */
export interface Work {
  readonly name: string;
  readonly peer: Target;
  readonly ours: Target;
  /** Looks afterwards whether the peer has really done it. */
  readonly check?: (answered: number) => Promise<void>;
}

/** A peer that runs, ready to be loaded. */
export interface Running {
  readonly pid: number;
  readonly readyMs: number;
  readonly work: readonly Work[];
  stop(): Promise<void>;
}

/** One way to run a peer: as it comes, or tuned. */
export interface Variant {
  /** Empty for the way it comes. */
  readonly name: string;
  readonly start: () => Promise<Running>;
}

/** Somebody else's product, or a bare server, by its name on the command line. */
export interface Peer {
  readonly name: string;
  /** With its version, as the table shows it. */
  readonly title: string;
  /** What is installed for it; nothing for what the repository has. */
  readonly pin?: Pin;
  /** What a reader of the table should know. */
  readonly notes: readonly string[];
  /** Sets it up; what it resolves to makes our side of the same work and tells how the peer can be run. */
  readonly setUp: (stage: Stage, folder: string) => Promise<(ours: Ours) => Promise<Variants>>;
}

type Variants = readonly Variant[];
