import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Node, type Role } from "./node.ts";

const READY_MAX_MS = 90_000;
const LOOK_MS = 20;

export interface FleetOptions {
  readonly env: Readonly<Record<string, string>>;
  /** The folder of the nodes' data and logs. */
  readonly folder: string;
  readonly api: number;
  readonly worker: number;
}

/** A position in the fleet and its current process. */
interface Berth {
  readonly role: Role;
  node: Node | undefined;
  /** True while it is being changed. */
  isTaken: boolean;
}

/** A process that was restarted or killed. */
export interface Mishap {
  readonly atMs: number;
  readonly role: Role;
  readonly how: "restarted" | "killed";
}

/** Nodes of both roles on one database, and a balancer that uses only ready nodes. */
export class Fleet {
  readonly mishaps: Mishap[] = [];
  /** Failed starts and stops. */
  readonly faults: string[] = [];
  readonly #options: FleetOptions;
  readonly #berths: readonly Berth[];
  readonly #all: Node[] = [];
  readonly #filling = new Set<Promise<void>>();
  #isClosing = false;
  #turn = 0;

  static async start(options: FleetOptions): Promise<Fleet> {
    const fleet = new Fleet(options);
    const started = await Promise.allSettled(fleet.#berths.map((berth) => fleet.#fill(berth)));
    const failures = started.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    if (failures.length === 0) return fleet;
    await fleet[Symbol.asyncDispose]();
    throw failures[0];
  }

  private constructor(options: FleetOptions) {
    this.#options = options;
    const berth = (role: Role): Berth => ({ role, node: undefined, isTaken: false });
    this.#berths = [
      ...Array.from({ length: options.api }, () => berth("api")),
      ...Array.from({ length: options.worker }, () => berth("worker")),
    ];
  }

  /** Errors logged by all nodes, including ended ones. */
  get complaints(): readonly string[] {
    return this.#all.flatMap(({ complaints }) => complaints);
  }

  /** The next ready node in rotation. Waits for one. */
  async pick(): Promise<Node> {
    const limit = Date.now() + READY_MAX_MS;
    while (Date.now() < limit) {
      const ready = this.#berths.flatMap(({ role, node }) =>
        role === "api" && node?.isReady ? [node] : [],
      );
      this.#turn += 1;
      const node = ready[this.#turn % ready.length];
      if (node) return node;
      await pause(LOOK_MS);
    }
    throw new Error("No node is ready.");
  }

  /** The positions that can be restarted or killed now. */
  idle(role?: Role): readonly number[] {
    return this.#berths.flatMap((berth, at) =>
      !berth.isTaken && berth.node && (role ?? berth.role) === berth.role ? [at] : [],
    );
  }

  /** Stops or kills a node, and starts another one in its position. */
  async replace(at: number, how: Mishap["how"]): Promise<void> {
    const berth = this.#berths[at];
    const { node } = berth ?? {};
    if (!berth || !node || berth.isTaken) return;
    berth.isTaken = true;
    this.mishaps.push({ atMs: Date.now(), role: berth.role, how });
    const fault = await (how === "killed" ? node.kill() : node.stop());
    if (fault !== undefined) this.faults.push(fault);
    await this.#fill(berth);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    await Promise.allSettled(this.#filling);
    await Promise.all(
      this.#berths.map(async (berth) => {
        const fault = await berth.node?.stop();
        if (fault !== undefined) this.faults.push(fault);
        berth.node = undefined;
      }),
    );
  }

  async #fill(berth: Berth): Promise<void> {
    if (this.#isClosing) return;
    berth.isTaken = true;
    const filling = this.#start(berth);
    this.#filling.add(filling);
    await filling.finally(() => this.#filling.delete(filling));
    berth.isTaken = false;
  }

  async #start(berth: Berth): Promise<void> {
    const { env, folder } = this.#options;
    const node = await Node.start({
      role: berth.role,
      env: { ...env, MILLRACE_DATA_DIR: join(folder, "data") },
      logFile: join(folder, "nodes.log"),
    });
    this.#all.push(node);
    berth.node = node;
  }
}
