/**
 * The records of one list, as far as they were read. A list of a million records is a million places; what is not
 * read yet is a gap, and pages fill gaps when they come into sight. Whoever draws it follows `version`.
 */
import { nameIn } from "../column/value.ts";

export interface Row {
  readonly id: string;
  /** 0 where the server has none yet. */
  readonly revision: number;
  readonly values: Readonly<Record<string, unknown>>;
}

export interface RowPage {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly hasMore: boolean;
  /** True where nobody tells all that has happened since it was read. */
  readonly isLate?: boolean;
}

/** Reads records from a place in the list. */
export type ReadPage = (offset: number, limit: number, signal: AbortSignal) => Promise<RowPage>;

/** Says of a cell that it is not as somebody wanted it. */
export interface Fault {
  readonly message: string;
  /** The value that was refused: it is not lost. */
  readonly mine: unknown;
  /** Somebody else's value, where the two are at odds. */
  readonly theirs?: unknown;
}

/** A change by somebody else, shown for a moment. */
export interface Flash {
  readonly fields: ReadonlySet<string>;
  readonly by: string | undefined;
  readonly atMs: number;
}

export const PAGE_ROWS = 100;

export class RowBook {
  /** Ids in their order; a gap is not read yet. */
  readonly order: (string | undefined)[] = [];
  readonly rows = new Map<string, Row>();
  readonly names = new Map<string, string>();
  readonly faults = new Map<string, Fault>();
  readonly flashes = new Map<string, Flash>();
  /** The correlations by which records were deleted here: what is undone comes back by it, with its id. */
  readonly deletions = new Map<string, string>();
  /** Records that others made, and whose place in this order is not known. */
  unseen = 0;
  error: Error | undefined;
  version = 0;
  #isRead = false;
  #pages = new Set<number>();
  #reads = new Map<number, AbortController>();
  #watchers = new Set<() => void>();
  #pageWatchers = new Set<() => void>();
  readonly #read: ReadPage;

  constructor(read: ReadPage) {
    this.#read = read;
  }

  get count(): number {
    return this.order.length;
  }

  /** False before the first answer. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** True while a page is on its way: it may be older than what the log has told since. */
  get isReading(): boolean {
    return this.#reads.size > 0;
  }

  rowAt(place: number): Row | undefined {
    const id = this.order[place];
    return id === undefined ? undefined : this.rows.get(id);
  }

  subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  /** Calls after each page that came, before it is drawn. */
  onPage(watcher: () => void): () => void {
    this.#pageWatchers.add(watcher);
    return () => this.#pageWatchers.delete(watcher);
  }

  /** Tells whoever draws it. */
  touch(): void {
    this.version += 1;
    for (const watcher of this.#watchers) watcher();
  }

  /** Reads what is missing of a span; what is no longer wanted is given up. */
  need(from: number, to: number): void {
    const first = Math.floor(from / PAGE_ROWS);
    const last = Math.floor(Math.max(from, to - 1) / PAGE_ROWS);
    for (const [page, reading] of this.#reads) {
      if (page >= first - 1 && page <= last + 1) continue;
      reading.abort();
      this.#reads.delete(page);
    }
    for (let page = first; page <= last; page += 1) {
      if (this.#reads.has(page)) continue;
      if (!this.#pages.has(page) || this.#hasGap(page)) void this.#readPage(page);
    }
  }

  /** A list may have grown since its last page was read. */
  #hasGap(page: number): boolean {
    const end = Math.min(this.order.length, (page + 1) * PAGE_ROWS);
    for (let place = page * PAGE_ROWS; place < end; place += 1) {
      if (this.order[place] === undefined) return true;
    }
    return false;
  }

  async #readPage(page: number): Promise<void> {
    const reading = new AbortController();
    this.#reads.set(page, reading);
    try {
      const offset = page * PAGE_ROWS;
      const { rows, hasMore, isLate } = await this.#read(offset, PAGE_ROWS, reading.signal);
      if (reading.signal.aborted) return;
      if (isLate !== true) this.#pages.add(page);
      this.put(offset, rows);
      const end = offset + rows.length;
      if (!hasMore && this.order.length > end) this.order.length = end;
      else if (hasMore && this.order.length <= end) this.order.length = end + 1;
      this.error = undefined;
      this.#isRead = true;
    } catch (error) {
      if (reading.signal.aborted) return;
      this.error = error instanceof Error ? error : new Error(String(error));
    } finally {
      if (this.#reads.get(page) === reading) this.#reads.delete(page);
    }
    for (const watcher of this.#pageWatchers) watcher();
    this.touch();
  }

  /** Puts records in their places. */
  put(offset: number, records: readonly Readonly<Record<string, unknown>>[]): void {
    for (const [n, record] of records.entries()) {
      const row = this.keep(record);
      this.order[offset + n] = row.id;
    }
  }

  /**
   * Keeps a record; what it refers to stands in it by its id, and its name beside. Answers come in any order: an older
   * one takes nothing back.
   */
  keep(record: Readonly<Record<string, unknown>>): Row {
    const { revision = 1, ...fields } = record;
    const values: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(fields)) values[name] = this.#bare(value);
    const id = String(record["id"]);
    const known = this.rows.get(id);
    if (known && known.revision > Number(revision)) return known;
    const row = { id, revision: Number(revision), values };
    this.rows.set(id, row);
    return row;
  }

  #bare(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#bare(one));
    if (typeof value !== "object" || value === null) return value;
    const { id } = value as { readonly id?: unknown };
    if (typeof id !== "string" || !/^(rec|usr)_/.test(id)) return value;
    const name = nameIn(value);
    if (name !== undefined) this.names.set(id, name);
    return id;
  }

  /** How many records there are, once somebody counted. */
  setCount(count: number): void {
    if (count === this.order.length) return;
    this.order.length = count;
    this.touch();
  }

  setValues(id: string, values: Readonly<Record<string, unknown>>): void {
    const row = this.rows.get(id);
    if (row) this.rows.set(id, { ...row, values: { ...row.values, ...values } });
  }

  insert(place: number, row: Row): void {
    this.rows.set(row.id, row);
    this.order.splice(place, 0, row.id);
  }

  /** Takes a record out of the list; its place was the number that is returned. */
  remove(id: string): number {
    const place = this.order.indexOf(id);
    if (place >= 0) this.order.splice(place, 1);
    this.rows.delete(id);
    return place;
  }

  /** A record that was made here has its id now. */
  rename(id: string, record: Readonly<Record<string, unknown>>): void {
    const place = this.order.indexOf(id);
    this.rows.delete(id);
    const row = this.keep(record);
    if (place >= 0) this.order[place] = row.id;
    for (const [key, fault] of this.faults) {
      if (!key.startsWith(`${id}:`)) continue;
      this.faults.delete(key);
      this.faults.set(key.replace(id, row.id), fault);
    }
  }

  /** Forgets which pages were read: they are read again when they are needed; what is shown stays until then. */
  forget(): void {
    for (const reading of this.#reads.values()) reading.abort();
    this.#reads.clear();
    this.#pages.clear();
    this.unseen = 0;
    this.touch();
  }

  close(): void {
    for (const reading of this.#reads.values()) reading.abort();
    this.#reads.clear();
  }
}

export const cellKey = (id: string, field: string): string => `${id}:${field}`;
