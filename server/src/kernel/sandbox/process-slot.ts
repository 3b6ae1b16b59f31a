import type { Subprocess } from "../work/subprocess.ts";
import type { FromProcess } from "./protocol.ts";
import type { ScriptLibrary } from "./library/script-library.ts";
import { startScriptProcess } from "./script-process.ts";
import { type SlotResult, SlotSupervisor, type SlotTask } from "./slot-supervisor.ts";

/** A script process. It runs one script at a time so that killing it affects only that run. */
export class ProcessSlot {
  readonly #process: Subprocess;
  #supervisor: SlotSupervisor | undefined;
  #runs = 0;
  #isSpent = false;
  readonly #libraries: readonly ScriptLibrary[];
  #source: string | undefined;
  /** The owner of the current run, or of the last one when idle. */
  owner: string | undefined;
  idleSince = 0;

  constructor(libraries: readonly ScriptLibrary[]) {
    // The program sends no other messages. `#receive` detects a compromised process.
    this.#libraries = libraries;
    this.#process = startScriptProcess(libraries, (message) =>
      this.#receive(message as FromProcess),
    );
    void this.#process.ended.then((ending) => this.#supervisor?.processEnded(ending));
  }

  get isAlive(): boolean {
    return this.#process.isAlive;
  }

  /** True if it can accept another run. */
  get isUsable(): boolean {
    return this.isAlive && !this.#isSpent;
  }

  get ready(): Promise<void> {
    return this.#process.ready;
  }

  /** True if its scripts can use exactly these libraries. */
  hasLibraries(libraries: readonly ScriptLibrary[]): boolean {
    const own = this.#libraries;
    return own.length === libraries.length && libraries.every((library) => own.includes(library));
  }

  /** True if it has run this script last, and so has it compiled. */
  hasCompiled({ owner, source }: SlotTask["order"]): boolean {
    return this.owner === owner && this.#source === source;
  }

  /** Executes one run. Call it again only after the promise has settled. */
  async run(task: SlotTask): Promise<SlotResult> {
    this.#runs += 1;
    this.#source = task.order.source;
    const supervisor = new SlotSupervisor(this.#process, this.#runs, task);
    this.#supervisor = supervisor;
    const end = await supervisor.ended;
    this.#supervisor = undefined;
    this.#isSpent = supervisor.isHeavy || end.status === "out_of_memory";
    return end;
  }

  /** Stops the current run, which is no longer needed. */
  stop(): void {
    this.#supervisor?.stop("timed_out");
  }

  async close(): Promise<void> {
    await this.#process.close();
  }

  #receive(message: FromProcess): void {
    try {
      this.#supervisor?.receive(message);
    } catch {
      // A malformed message: the process is compromised.
      this.#process.kill();
    }
  }
}
