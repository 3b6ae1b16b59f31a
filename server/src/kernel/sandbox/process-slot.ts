import type { Subprocess } from "../work/subprocess.ts";
import type { FromProcess } from "./protocol.ts";
import type { ScriptLibrary } from "./library/script-library.ts";
import { startScriptProcess } from "./script-process.ts";
import { type SlotResult, SlotSupervisor, type SlotTask } from "./slot-supervisor.ts";

/** A script process and the one run that it has at a time: killing it harms no other run. */
export class ProcessSlot {
  readonly #process: Subprocess;
  #supervisor: SlotSupervisor | undefined;
  #runs = 0;
  #isSpent = false;
  readonly #libraries: readonly ScriptLibrary[];
  #source: string | undefined;
  /** The owner of its run or, while it is idle, of its last one. */
  owner: string | undefined;
  idleSince = 0;

  constructor(libraries: readonly ScriptLibrary[]) {
    // Our own program sends nothing else; `#receive` notices when it is not our program any more.
    this.#libraries = libraries;
    this.#process = startScriptProcess(libraries, (message) =>
      this.#receive(message as FromProcess),
    );
    void this.#process.ended.then((ending) => this.#supervisor?.processEnded(ending));
  }

  get isAlive(): boolean {
    return this.#process.isAlive;
  }

  /** It can be given another run. */
  get isUsable(): boolean {
    return this.isAlive && !this.#isSpent;
  }

  get ready(): Promise<void> {
    return this.#process.ready;
  }

  /** True when its scripts can name these libraries, and no others. */
  hasLibraries(libraries: readonly ScriptLibrary[]): boolean {
    const own = this.#libraries;
    return own.length === libraries.length && libraries.every((library) => own.includes(library));
  }

  /** True when it ran this script last, and so has it compiled. */
  hasCompiled({ owner, source }: SlotTask["order"]): boolean {
    return this.owner === owner && this.#source === source;
  }

  /** Executes one run; the next may come when this has ended. */
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

  /** Stops the present run, which nobody wants any more. */
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
      // The message is malformed: it is not our program any more.
      this.#process.kill();
    }
  }
}
