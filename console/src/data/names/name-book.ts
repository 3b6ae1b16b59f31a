/**
 * Looks up names by id. Ids requested at the same time are combined, because a screen shows about twenty people
 * while a workspace can have thousands.
 */
const BURST_MS = 20;
const IDS_MAX = 100;
const NAMES_MAX = 5_000;
/** A failed request is retried on the next lookup after this time. */
const AGAIN_AFTER_MS = 10_000;

/** Loads the names of these ids; unknown ids are missing in the result. */
export type ReadNames = (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;

export class NameBook {
  readonly #read: ReadNames;
  /** Unknown ids map to undefined. */
  readonly #names = new Map<string, string | undefined>();
  readonly #asked = new Set<string>();
  readonly #watchers = new Set<() => void>();
  #wanted = new Set<string>();
  #version = 0;

  constructor(read: ReadNames) {
    this.#read = read;
  }

  /** Changes when any name changes. */
  get version(): number {
    return this.#version;
  }

  subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  /** Returns the name if it is loaded; otherwise requests it. */
  nameOf(id: string): string | undefined {
    if (!this.#asked.has(id)) {
      this.#asked.add(id);
      this.#wanted.add(id);
      if (this.#wanted.size === 1) setTimeout(() => void this.#readWanted(), BURST_MS);
    }
    return this.#names.get(id);
  }

  /** Marks all names as stale: they are reloaded on the next lookup, and shown unchanged until then. */
  forget(): void {
    this.#asked.clear();
    this.#touch();
  }

  async #readWanted(): Promise<void> {
    const wanted = [...this.#wanted];
    this.#wanted = new Set();
    for (let n = 0; n < wanted.length; n += IDS_MAX) {
      const ids = wanted.slice(n, n + IDS_MAX);
      try {
        const names = await this.#read(ids);
        for (const id of ids) this.#keep(id, names.get(id));
        this.#touch();
      } catch {
        setTimeout(() => {
          for (const id of ids) this.#asked.delete(id);
        }, AGAIN_AFTER_MS);
      }
    }
  }

  #keep(id: string, name: string | undefined): void {
    this.#names.delete(id);
    this.#names.set(id, name);
    const [oldest] = this.#names.keys();
    if (this.#names.size <= NAMES_MAX || oldest === undefined) return;
    this.#names.delete(oldest);
    this.#asked.delete(oldest);
  }

  #touch(): void {
    this.#version += 1;
    for (const watcher of this.#watchers) watcher();
  }
}
