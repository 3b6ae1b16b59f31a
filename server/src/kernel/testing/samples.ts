import type { Ask, World } from "./world.ts";

/**
 * A call of one operation that succeeds, and what must be there before it. Each domain has such
 * samples beside it; the sweep finds them and fails when an operation has none.
 */
export interface Sample {
  readonly operation: string;
  /** Distinguishes several samples of one operation. */
  readonly name?: string;
  /** Makes what the call needs, as an owner, and says what to send. */
  readonly arrange: (owner: Ask, world: World) => Promise<Arranged>;
}

export interface Arranged {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Who calls, when it is not the owner. */
  readonly by?: Ask;
  /** The status of the answer, when it is not the declared one. */
  readonly status?: number;
  /** False where the things of one environment are those of all, or where there is no thing. */
  readonly environmentScoped?: boolean;
  /** False for what a stranger to the thing may see too, such as a catalog. */
  readonly partitioned?: boolean;
  /** True where whatever is well-formed will do, such as the name of a topic. */
  readonly openParams?: boolean;
}
