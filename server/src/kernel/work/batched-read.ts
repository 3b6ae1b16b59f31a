/**
 * Combines reads of single resources into shared statements: while one runs, new requests wait for the next. Nothing
 * is cached, so the next read sees every change.
 */
export class BatchedRead<Key, Value> {
  readonly #read: (keys: readonly Key[]) => Promise<ReadonlyMap<number, Value>>;
  readonly #sizeMax: number;
  #pending: PendingRead<Key, Value>[] = [];
  #isReading = false;

  /** `read` must return the values in key order. */
  constructor(
    sizeMax: number,
    read: (keys: readonly Key[]) => Promise<ReadonlyMap<number, Value>>,
  ) {
    this.#sizeMax = sizeMax;
    this.#read = read;
  }

  get(key: Key): Promise<Value | undefined> {
    const value = new Promise<Value | undefined>((resolve, reject) => {
      this.#pending.push({ key, resolve, reject });
    });
    // Requests in one event loop turn also share the first statement.
    if (!this.#isReading) {
      this.#isReading = true;
      queueMicrotask(() => void this.#readAll());
    }
    return value;
  }

  async #readAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0, this.#sizeMax);
      try {
        const values = await this.#read(batch.map(({ key }) => key));
        for (const [index, { resolve }] of batch.entries()) resolve(values.get(index));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isReading = false;
  }
}

interface PendingRead<Key, Value> {
  readonly key: Key;
  readonly resolve: (value: Value | undefined) => void;
  readonly reject: (error: unknown) => void;
}
