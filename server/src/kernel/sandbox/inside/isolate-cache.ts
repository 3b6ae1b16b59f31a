import { createHash } from "node:crypto";
import type ivm from "isolated-vm";
import type { FromProcess, InspectOrder, RunOrder, ToProcess } from "../protocol.ts";
import { CompiledScript, type OpenedContext } from "./compiled-script.ts";
import { Session } from "./session.ts";

/** As many isolates stay; the least used goes first. */
const BENCHES_MAX = 8;
/** Above this, what isolates have left behind is worth more than what they save. */
const MEMORY_MAX_BYTES = 160 * 1024 * 1024;
/** To look costs as much as a small script's share of it all. */
const LOOK_RUNS = 16;

/** A script process, seen from its inside: one run at a time, each at the bench of its script. */
export class IsolateCache {
  readonly #ivm: typeof ivm;
  readonly #send: (message: FromProcess) => void;
  /** In the order of their last use. */
  readonly #benches = new Map<string, CompiledScript>();
  #session: Session | undefined;
  #runs = 0;

  constructor(vm: typeof ivm, send: (message: FromProcess) => void) {
    this.#ivm = vm;
    this.#send = send;
  }

  hear(message: ToProcess): void {
    if (message.kind === "run" || message.kind === "inspect") void this.#begin(message);
    else if (message.run === this.#session?.run) this.#session.hear(message);
  }

  async #begin(order: RunOrder | InspectOrder): Promise<void> {
    const { run } = order;
    const key = keyOf(order);
    try {
      const { bench, error } = await this.#bench(key, order);
      if (error) return this.#send({ kind: "result", run, status: "failed", error });
      this.#session = new Session(order, bench, this.#send);
      await this.#session.carryOut();
      this.#session = undefined;
      this.#tidy(key, bench);
    } catch {
      // The isolate is gone: it has run out of memory before the script began.
      this.#forget(key);
      this.#send({ kind: "result", run, status: "out_of_memory" });
    }
  }

  async #bench(key: string, { source, memoryMb }: RunOrder | InspectOrder): Promise<OpenedContext> {
    const known = this.#benches.get(key);
    if (known) {
      this.#benches.delete(key);
      this.#benches.set(key, known);
      return { bench: known };
    }
    const opened = await CompiledScript.open(this.#ivm, source, memoryMb);
    if (opened.bench) this.#benches.set(key, opened.bench);
    for (const oldest of this.#benches.keys()) {
      if (this.#benches.size > BENCHES_MAX) this.#forget(oldest);
    }
    return opened;
  }

  #tidy(key: string, bench: CompiledScript): void {
    this.#runs += 1;
    if (bench.isLost) this.#forget(key);
    else if (this.#runs % LOOK_RUNS === 0 && process.memoryUsage.rss() > MEMORY_MAX_BYTES) {
      for (const each of this.#benches.keys()) this.#forget(each);
    } else setImmediate(() => bench.prepare());
  }

  #forget(key: string): void {
    this.#benches.get(key)?.dispose();
    this.#benches.delete(key);
  }
}

function keyOf({ owner, source, memoryMb }: RunOrder | InspectOrder): string {
  const hash = createHash("sha256").update(source).digest("base64");
  return `${owner} ${memoryMb} ${hash}`;
}
