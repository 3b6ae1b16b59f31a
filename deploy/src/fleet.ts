import type { Member } from "./member.ts";

/** All processes together: begun, renewed one by one, ended. */
export class Fleet {
  readonly #members: readonly Member[];
  readonly #say: (line: string) => void;
  #ending = false;
  #renewing: Promise<void> | undefined;
  /** Whether it was asked for once more meanwhile. */
  #again = false;

  constructor(members: readonly Member[], say: (line: string) => void) {
    this.#members = members;
    this.#say = say;
  }

  /** False when some of them did not become ready: then none is left. */
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
   * Restarts one after the other, each only when the one before it is ready: workers first, so that
   * whatever new servers write finds somebody who understands it. One that does not come back ends
   * this, and the others go on as they are.
   */
  renew(): Promise<void> {
    this.#again = true;
    this.#renewing ??= this.#renewAll().finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  /** Ends all at once, in good order. */
  async end(): Promise<void> {
    this.#ending = true;
    await Promise.all(this.#members.map((member) => member.stop()));
    // The one that is being renewed may have been started meanwhile.
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
