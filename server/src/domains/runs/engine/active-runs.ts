import type { Execution } from "./execution.ts";

const ACTIVE_MAX = 1_000;
const ACTIVE_PER_WORKSPACE_MAX = 500;

/** A run that is in memory. */
export class ActiveRun {
  readonly execution: Execution;
  /** Resolves when the run is no longer in memory. */
  readonly ended: Promise<void>;
  readonly end: () => void;
  /** The last work on the run: work on one run is done in sequence. */
  tail: Promise<void> = Promise.resolve();
  dropped = false;

  constructor(execution: Execution) {
    this.execution = execution;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.end = resolve;
  }
}

/** The runs in memory of a node, limited in total and per workspace. */
export class ActiveRuns {
  readonly #byId = new Map<string, ActiveRun>();
  readonly #countByWorkspace = new Map<string, number>();

  get size(): number {
    return this.#byId.size;
  }

  /** How many more runs fit. */
  get room(): number {
    return ACTIVE_MAX - this.#byId.size;
  }

  roomIn(workspace: string): number {
    return ACTIVE_PER_WORKSPACE_MAX - (this.#countByWorkspace.get(workspace) ?? 0);
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  get(id: string): ActiveRun | undefined {
    return this.#byId.get(id);
  }

  ids(): string[] {
    return [...this.#byId.keys()];
  }

  all(): ActiveRun[] {
    return [...this.#byId.values()];
  }

  inShard(shard: number): ActiveRun[] {
    return this.all().filter(({ execution }) => execution.run.shard === shard);
  }

  add(execution: Execution): ActiveRun {
    const { id, workspace } = execution.run;
    const active = new ActiveRun(execution);
    this.#byId.set(id, active);
    this.#countByWorkspace.set(workspace, (this.#countByWorkspace.get(workspace) ?? 0) + 1);
    return active;
  }

  /**
   * Returns true if other runs may wait for capacity. Only checked at half capacity, so that one poll loads
   * many runs.
   */
  remove(active: ActiveRun): boolean {
    const { id, workspace } = active.execution.run;
    if (this.#byId.get(id) === active) this.#byId.delete(id);
    const count = (this.#countByWorkspace.get(workspace) ?? 1) - 1;
    this.#countByWorkspace.set(workspace, count);
    return this.#byId.size >= ACTIVE_MAX / 2 || count === ACTIVE_PER_WORKSPACE_MAX / 2;
  }
}
