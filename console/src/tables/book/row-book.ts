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

interface Unsaved {
  readonly value: unknown;
  /** How many changes under way set this cell. */
  readonly count: number;
}

/** True for the id of a record that the server does not know yet. */
export const isDraft = (id: string): boolean => id.startsWith("new-");

export class RowBook {
  /** Ids in their order; a gap is not read yet. */
  readonly order: (string | undefined)[] = [];
  readonly rows = new Map<string, Row>();
  readonly names = new Map<string, string>();
  /** Counts changes of names: rows that show one are drawn again. */
  namesVersion = 0;
  readonly faults = new Map<string, Fault>();
  readonly flashes = new Map<string, Flash>();
  /** The revisions of records that were changed here and are not loaded. */
  readonly revisions = new Map<string, number>();
  /** Records that others made, and whose place in this order is not known. */
  unseen = 0;
  error: Error | undefined;
  version = 0;
  #isRead = false;
  #pages = new Set<number>();
  #reads = new Map<number, AbortController>();
  /** Values that were set here and that the server has not confirmed yet. */
  readonly #unsaved = new Map<string, Map<string, Unsaved>>();
  /** Records that the server does not know yet: its places do not count them. */
  readonly #drafts = new Set<string>();
  #sight: readonly [number, number] = [0, PAGE_ROWS];
  #watchers = new Set<() => void>();
  #pageWatchers = new Set<() => void>();
  #writeWatchers = new Set<(ids: readonly string[]) => void>();
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

  /** Calls with the ids of records that were written here: what the server computes of them is read again. */
  onWritten(watcher: (ids: readonly string[]) => void): () => void {
    this.#writeWatchers.add(watcher);
    return () => this.#writeWatchers.delete(watcher);
  }

  noteWritten(ids: readonly string[]): void {
    for (const watcher of this.#writeWatchers) watcher(ids);
  }

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
    this.#sight = [from, to];
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
      const offset = this.toListPlace(page * PAGE_ROWS);
      const { rows, hasMore, isLate } = await this.#read(offset, PAGE_ROWS, reading.signal);
      if (reading.signal.aborted) return;
      if (isLate !== true) this.#pages.add(page);
      const end = this.put(offset, rows);
      if (!hasMore && this.order.length > end) this.#cut(end);
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

  /** Puts records in their places, from a place in the server's list on; returns the place behind the last. */
  put(offset: number, records: readonly Readonly<Record<string, unknown>>[]): number {
    let place = this.#toPlace(offset);
    for (const record of records) {
      while (this.#isDraftAt(place)) place += 1;
      this.order[place] = this.keep(record).id;
      place += 1;
    }
    return place;
  }

  #isDraftAt(place: number): boolean {
    const id = this.order[place];
    return id !== undefined && this.#drafts.has(id);
  }

  /** The place in the server's list, which has no drafts. */
  toListPlace(place: number): number {
    if (this.#drafts.size === 0) return place;
    let drafts = 0;
    for (let n = 0; n < Math.min(place, this.order.length); n += 1) {
      if (this.#isDraftAt(n)) drafts += 1;
    }
    return place - drafts;
  }

  #toPlace(offset: number): number {
    if (this.#drafts.size === 0) return offset;
    let place = 0;
    for (let left = offset; left > 0; place += 1) if (!this.#isDraftAt(place)) left -= 1;
    return place;
  }

  /** Ends the list at a place; drafts behind it stay, as its last rows. */
  #cut(end: number): void {
    const drafts = this.order.slice(end).filter((id) => id !== undefined && this.#drafts.has(id));
    this.order.length = end;
    this.order.push(...drafts);
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
    for (const [name, { value }] of this.#unsaved.get(id) ?? []) values[name] = value;
    this.revisions.delete(id);
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
    if (name !== undefined) this.setName(id, name);
    return id;
  }

  setName(id: string, name: string): void {
    if (this.names.get(id) === name) return;
    this.names.set(id, name);
    this.namesVersion += 1;
  }

  /** How many records the server's list has, once somebody counted. */
  setCount(count: number): void {
    const total = count + this.#drafts.size;
    if (total === this.order.length) return;
    if (total > this.order.length) this.order.length = total;
    else {
      const behind = this.order
        .slice(count)
        .filter((id) => id !== undefined && this.#drafts.has(id));
      this.#cut(total - behind.length);
    }
    this.touch();
  }

  setValues(id: string, values: Readonly<Record<string, unknown>>): void {
    const row = this.rows.get(id);
    if (row) this.rows.set(id, { ...row, values: { ...row.values, ...values } });
  }

  /** Keeps a value that was set here: an answer that was read before the server has it does not take it back. */
  hold(id: string, field: string, value: unknown): void {
    const fields = this.#unsaved.get(id) ?? new Map<string, Unsaved>();
    fields.set(field, { value, count: (fields.get(field)?.count ?? 0) + 1 });
    this.#unsaved.set(id, fields);
  }

  release(id: string, field: string): void {
    const fields = this.#unsaved.get(id);
    const held = fields?.get(field);
    if (!fields || !held) return;
    if (held.count > 1) fields.set(field, { ...held, count: held.count - 1 });
    else fields.delete(field);
    if (fields.size === 0) this.#unsaved.delete(id);
  }

  /** The revision that is known of a record, whether it is loaded or was only changed. */
  revisionOf(id: string): number | undefined {
    return this.rows.get(id)?.revision ?? this.revisions.get(id);
  }

  noteRevision(id: string, revision: number): void {
    const row = this.rows.get(id);
    if (row) this.rows.set(id, { ...row, revision: Math.max(row.revision, revision) });
    else this.revisions.set(id, revision);
  }

  insert(place: number, row: Row): void {
    this.rows.set(row.id, row);
    if (isDraft(row.id)) this.#drafts.add(row.id);
    this.order.splice(place, 0, row.id);
  }

  /** Takes a record out of the list; its place was the number that is returned. */
  remove(id: string): number {
    const place = this.order.indexOf(id);
    if (place >= 0) this.order.splice(place, 1);
    this.rows.delete(id);
    this.#drafts.delete(id);
    return place;
  }

  /** A record that was made here has its id now. */
  rename(id: string, record: Readonly<Record<string, unknown>>): void {
    const place = this.order.indexOf(id);
    this.rows.delete(id);
    this.#drafts.delete(id);
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

  /** Forgets the place of every record: others moved them, and only what is read again is certain. */
  forgetPlaces(): void {
    for (const [place, id] of this.order.entries()) {
      if (id !== undefined && !this.#drafts.has(id)) this.order[place] = undefined;
    }
    this.forget();
  }

  /** Forgets what is not in sight of these: it is read again when it comes into sight. Returns those on the pages in sight. */
  takeInSight(ids: ReadonlySet<string>): readonly string[] {
    const from = Math.floor(this.#sight[0] / PAGE_ROWS) * PAGE_ROWS;
    const to = Math.ceil(this.#sight[1] / PAGE_ROWS) * PAGE_ROWS;
    const seen: string[] = [];
    for (const [place, id] of this.order.entries()) {
      if (id === undefined || !ids.has(id)) continue;
      if (place >= from && place < to) seen.push(id);
      else this.#pages.delete(Math.floor(place / PAGE_ROWS));
    }
    return seen;
  }

  close(): void {
    for (const reading of this.#reads.values()) reading.abort();
    this.#reads.clear();
  }
}

export const cellKey = (id: string, field: string): string => `${id}:${field}`;
