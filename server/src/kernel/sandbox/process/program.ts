/**
 * The program of a script process: it keeps compiled scripts in separate isolates and executes one run at a time for
 * the pool.
 */
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import type ivm from "isolated-vm";
import { READY_MESSAGE } from "../../work/subprocess-ready.ts";
import type { FromProcess, InspectOrder, RunOrder, ToProcess } from "../protocol.ts";
import { CompiledScript, type CompileResult } from "./compiled-script.ts";
import { Session } from "./session.ts";

/** The maximum number of cached scripts, one isolate each. The least recently used is removed first. */
const ISOLATES_MAX = 8;
/** Above this, the memory of cached isolates costs more than they save. */
const MEMORY_MAX_BYTES = 160 * 1024 * 1024;
/** Memory is checked after this number of runs, because a check costs as much as a small script. */
const MEMORY_CHECK_RUNS = 16;

/** The compiled scripts of this process. It executes one run at a time. */
class IsolateCache {
  readonly #ivm: typeof ivm;
  readonly #send: (message: FromProcess) => void;
  /** In the order of their last use. */
  readonly #scripts = new Map<string, CompiledScript>();
  #session: Session | undefined;
  #runs = 0;

  constructor(vm: typeof ivm, send: (message: FromProcess) => void) {
    this.#ivm = vm;
    this.#send = send;
  }

  receive(message: ToProcess): void {
    if (message.kind === "run" || message.kind === "inspect") void this.#begin(message);
    else if (message.run === this.#session?.run) this.#session.receive(message);
  }

  async #begin(order: RunOrder | InspectOrder): Promise<void> {
    const { run } = order;
    const key = keyOf(order);
    try {
      const { script, error } = await this.#compile(key, order);
      if (error) return this.#send({ kind: "result", run, status: "failed", error });
      this.#session = new Session(order, script, this.#send);
      await this.#session.execute();
      this.#session = undefined;
      this.#cleanUp(key, script);
    } catch {
      // The isolate ran out of memory before the script started.
      this.#dispose(key);
      this.#send({ kind: "result", run, status: "out_of_memory" });
    }
  }

  async #compile(key: string, order: RunOrder | InspectOrder): Promise<CompileResult> {
    const known = this.#scripts.get(key);
    if (known) {
      this.#scripts.delete(key);
      this.#scripts.set(key, known);
      return { script: known };
    }
    const compiled = await CompiledScript.compile(this.#ivm, order);
    if (compiled.script) this.#scripts.set(key, compiled.script);
    for (const oldest of this.#scripts.keys()) {
      if (this.#scripts.size > ISOLATES_MAX) this.#dispose(oldest);
    }
    return compiled;
  }

  #cleanUp(key: string, script: CompiledScript): void {
    this.#runs += 1;
    if (script.isDisposed) this.#dispose(key);
    else if (this.#runs % MEMORY_CHECK_RUNS === 0 && process.memoryUsage.rss() > MEMORY_MAX_BYTES) {
      for (const each of this.#scripts.keys()) this.#dispose(each);
    } else setImmediate(() => script.prepare());
  }

  #dispose(key: string): void {
    this.#scripts.get(key)?.dispose();
    this.#scripts.delete(key);
  }
}

function keyOf({ owner, source, memoryMb, modules }: RunOrder | InspectOrder): string {
  const hash = createHash("sha256").update(source);
  if (modules) hash.update(`\0${JSON.stringify(modules)}`);
  return `${owner} ${memoryMb} ${hash.digest("base64")}`;
}

// The library's path is an argument, because the process cannot read other folders to search for it.
const [, , path = ""] = process.argv;
const vm = createRequire(path)(path) as typeof ivm;
const isolates = new IsolateCache(vm, (message) => process.send?.(message));

process.on("message", (message: ToProcess) => isolates.receive(message));
// The server has ended. A normal exit could wait for a thread that runs a script.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.send?.(READY_MESSAGE);
