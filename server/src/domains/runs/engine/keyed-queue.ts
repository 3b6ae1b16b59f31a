/** Work that is done one after the other where it has the same name, in the order in which it came. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Begins when what came before it under this name is over, however that ended. */
  after<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(name, mine);
    const forget = (): void => {
      if (this.#last.get(name) === mine) this.#last.delete(name);
    };
    mine.then(forget, forget);
    return mine;
  }
}
