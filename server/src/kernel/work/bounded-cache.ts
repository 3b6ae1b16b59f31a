/**
 * A cache of recently used values with a maximum total weight. It has two halves: a used value moves to the newer one,
 * and when that is full, the older one is dropped with all values unused since. So a hit costs one look-up, while an
 * exact LRU order would need a write each time.
 */
export class BoundedCache<Value> {
  readonly #halfMax: number;
  #newer = new Map<string, CacheEntry<Value>>();
  #older = new Map<string, CacheEntry<Value>>();
  #weight = 0;

  constructor(weightMax: number) {
    this.#halfMax = weightMax / 2;
  }

  get(key: string): Value | undefined {
    const recent = this.#newer.get(key);
    if (recent) return recent.value;
    const entry = this.#older.get(key);
    if (entry) this.set(key, entry.value, entry.weight);
    return entry?.value;
  }

  set(key: string, value: Value, weight: number): void {
    this.#weight += weight - (this.#newer.get(key)?.weight ?? 0);
    this.#newer.set(key, { value, weight });
    this.#older.delete(key);
    if (this.#weight <= this.#halfMax) return;
    this.#older = this.#newer;
    this.#newer = new Map();
    this.#weight = 0;
  }
}

interface CacheEntry<Value> {
  readonly value: Value;
  readonly weight: number;
}
