import type { Subprocess } from "../work/subprocess.ts";
import type { FromProcess } from "./protocol.ts";
import { startScriptProcess } from "./script-process.ts";
import { type End, Supervision, type Work } from "./supervision.ts";

/** A script process and the one run that it has at a time: whoever is killed there was alone. */
export class Lane {
  readonly #process: Subprocess;
  #supervision: Supervision | undefined;
  #runs = 0;
  #isSpent = false;
  #source: string | undefined;
  /** Whose run it has or, while it is idle, had last. */
  owner: string | undefined;
  idleSince = 0;

  constructor() {
    // Our own program says nothing else; should a script have made its way there, `#hear` says so.
    this.#process = startScriptProcess((message) => this.#hear(message as FromProcess));
    void this.#process.ended.then((ending) => this.#supervision?.processEnded(ending));
  }

  /** It can be given another run. */
  get isUsable(): boolean {
    return this.#process.isAlive && !this.#isSpent;
  }

  get ready(): Promise<void> {
    return this.#process.ready;
  }

  /** It has the script at hand, since it ran it last. */
  knows({ owner, source }: Work["order"]): boolean {
    return this.owner === owner && this.#source === source;
  }

  /** Carries out one run; the next may come when this has ended. */
  async carryOut(work: Work): Promise<End> {
    this.#runs += 1;
    this.#source = work.order.source;
    const supervision = new Supervision(this.#process, this.#runs, work);
    this.#supervision = supervision;
    const end = await supervision.ended;
    this.#supervision = undefined;
    this.#isSpent = supervision.isHeavy || end.status === "out_of_memory";
    return end;
  }

  /** Ends the present run, which nobody wants any more. */
  stop(): void {
    this.#supervision?.stop("timed_out");
  }

  async close(): Promise<void> {
    await this.#process.close();
  }

  #hear(message: FromProcess): void {
    try {
      this.#supervision?.hear(message);
    } catch {
      // It does not speak our language: it is not our program any more.
      this.#process.kill();
    }
  }
}
