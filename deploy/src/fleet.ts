import type { Member } from "./member.ts";

/** All processes: starts them, restarts them one by one, and stops them. */
export class Fleet {
  readonly #members: readonly Member[];
  readonly #say: (line: string) => void;
  #ending = false;
  #renewing: Promise<void> | undefined;
  /** True if another restart was requested during the current one. */
  #again = false;

  constructor(members: readonly Member[], say: (line: string) => void) {
    this.#members = members;
    this.#say = say;
  }

  /** Returns false if some did not become ready. Then all are stopped. */
  async begin(): Promise<boolean> {
    for (const member of this.#members) member.start();
    const ready = await Promise.all(this.#members.map((member) => member.ready()));
    const missing = this.#members.filter((_, n) => !ready[n]).map(({ post }) => post.name);
    if (missing.length === 0) return true;
    if (!this.#ending) this.#say(`not ready: ${missing.join(", ")}`);
    await this.end();
    return false;
  }

  /**
   * Restarts the processes one by one, each after the previous one is ready: workers first, so that they understand
   * data written by new servers. If one does not become ready, the restart ends and the others keep running.
   */
  renew(): Promise<void> {
    this.#again = true;
    this.#renewing ??= this.#renewAll().finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  /** Stops all at once gracefully. */
  async end(): Promise<void> {
    this.#ending = true;
    await Promise.all(this.#members.map((member) => member.stop()));
    // The process being restarted may have been started in the meantime.
    await this.#renewing;
    await Promise.all(this.#members.map((member) => member.stop()));
  }

  async #renewAll(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      if (!(await this.#renewEach())) return;
    }
  }

  async #renewEach(): Promise<boolean> {
    for (const member of this.#members) {
      if (this.#ending) return false;
      const { name } = member.post;
      this.#say(`${name} is stopped`);
      await member.stop();
      if (this.#ending) return false;
      member.start();
      if (!(await member.ready())) {
        if (!this.#ending) this.#say(`${name} is not ready again; the others stay as they are`);
        return false;
      }
      this.#say(`${name} is ready again`);
    }
    this.#say("all were restarted");
    return true;
  }
}
