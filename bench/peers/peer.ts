import type { Target } from "../src/load.ts";
import type { Pin } from "./install.ts";
import type { Ours } from "./ours.ts";
import type { Stage } from "./stage.ts";

/** The same work on both sides. */
export interface Work {
  readonly name: string;
  readonly peer: Target;
  readonly ours: Target;
  /** Verifies afterwards that the peer has really done the work. */
  readonly check?: (answered: number) => Promise<void>;
}

/** A running peer, ready for load. */
export interface Running {
  readonly pid: number;
  readonly readyMs: number;
  readonly work: readonly Work[];
  stop(): Promise<void>;
}

/** A configuration of a peer: default or tuned. */
export interface Variant {
  /** Empty for the default. */
  readonly name: string;
  readonly start: () => Promise<Running>;
}

/** Another product, or a bare server, by its name on the command line. */
export interface Peer {
  readonly name: string;
  /** The name with version in the table. */
  readonly title: string;
  /** The packages to install. Undefined if the repository has them. */
  readonly pin?: Pin;
  /** Notes for readers of the table. */
  readonly notes: readonly string[];
  /** Sets the peer up. The result creates our side of the same work and returns the peer's configurations. */
  readonly setUp: (stage: Stage, folder: string) => Promise<(ours: Ours) => Promise<Variants>>;
}

type Variants = readonly Variant[];
