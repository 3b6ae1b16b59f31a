/**
 * The loaded records of one list. A list of a million records has a million places; unloaded ones are gaps, which
 * are filled page by page when they become visible. Components re-render when `version` changes.
 */
import { nameIn } from "../column/value.ts";

export interface Row {
  readonly id: string;
  /** 0 if the server does not have the record. */
  readonly revision: number;
  readonly values: Readonly<Record<string, unknown>>;
}

export interface RowPage {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly hasMore: boolean;
  /** True if not all events since this page was read were received. */
  readonly isLate?: boolean;
}

/** Loads records from an offset of the list. */
export type ReadPage = (offset: number, limit: number, signal: AbortSignal) => Promise<RowPage>;

/** Marks a cell whose value was rejected or has a conflict. */
export interface Fault {
  readonly message: string;
  /** The rejected value, kept so that it is not lost. */
  readonly mine: unknown;
  /** The other user's value, in case of a conflict. */
  readonly theirs?: unknown;
}

/** A change by another user, highlighted briefly. */
export interface Flash {
  readonly fields: ReadonlySet<string>;
  readonly by: string | undefined;
  readonly atMs: number;
}

export const PAGE_ROWS = 100;

interface Unsaved {
  readonly value: unknown;
  /** The number of pending changes to this cell. */
  readonly count: number;
}

/** Returns whether the id belongs to a record that the server does not have. */
export const isDraft = (id: string): boolean => id.startsWith("new-");

export class RowBook {
  /** Ids in list order; a gap is not loaded. */
  readonly order: (string | undefined)[] = [];
  readonly rows = new Map<string, Row>();
  readonly names = new Map<string, string>();
  /** Counts name changes, so that rows with names re-render. */
  namesVersion = 0;
  readonly faults = new Map<string, Fault>();
  readonly flashes = new Map<string, Flash>();
  /** The revisions of records that were changed here but are not loaded. */
  readonly revisions = new Map<string, number>();
  /** The number of records created by others whose position in this order is unknown. */
  unseen = 0;
  error: Error | undefined;
  version = 0;
  #isRead = false;
  #pages = new Set<number>();
  #reads = new Map<number, AbortController>();
  /** Values set here that the server has not confirmed. */
  readonly #unsaved = new Map<string, Map<string, Unsaved>>();
  /** Records that the server does not have; offsets of the server's list do not count them. */
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

  /** False before the first response. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** True during a page request: the response may be older than events received since. */
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

  /** Calls back with the ids of records written here, so that their computed values are reloaded. */
  onWritten(watcher: (ids: readonly string[]) => void): () => void {
    this.#writeWatchers.add(watcher);
    return () => this.#writeWatchers.delete(watcher);
  }

  noteWritten(ids: readonly string[]): void {
    for (const watcher of this.#writeWatchers) watcher(ids);
  }

  /** Calls back after each loaded page, before it is rendered. */
  onPage(watcher: () => void): () => void {
    this.#pageWatchers.add(watcher);
    return () => this.#pageWatchers.delete(watcher);
  }

  /** Notifies the subscribers. */
  touch(): void {
    this.version += 1;
    for (const watcher of this.#watchers) watcher();
  }

  /** Loads the missing pages of a range and aborts requests that are no longer needed. */
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

  /** The list may have grown since its last page was loaded. */
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

  /** Stores records from an offset of the server's list; returns the place after the last one. */
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

  /** Converts a place to an offset in the server's list, which has no drafts. */
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

  /** Truncates the list at a place; later drafts stay as its last rows. */
  #cut(end: number): void {
    const drafts = this.order.slice(end).filter((id) => id !== undefined && this.#drafts.has(id));
    this.order.length = end;
    this.order.push(...drafts);
  }

  /**
   * Stores a record: references as ids, with their names next to them. Responses can arrive in any order; an older
   * one does not overwrite a newer one.
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

  /** Sets the list length after the server has counted. */
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

  /** Keeps a value that was set here: older responses must not overwrite it. */
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

  /** Returns the known revision of a record, either loaded or only changed. */
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

  /** Removes a record from the list and returns its former place. */
  remove(id: string): number {
    const place = this.order.indexOf(id);
    if (place >= 0) this.order.splice(place, 1);
    this.rows.delete(id);
    this.#drafts.delete(id);
    return place;
  }

  /** Replaces the temporary id of a created record with its real one. */
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

  /** Marks all pages as unloaded, so that they are reloaded when needed; the current rows stay until then. */
  forget(): void {
    for (const reading of this.#reads.values()) reading.abort();
    this.#reads.clear();
    this.#pages.clear();
    this.unseen = 0;
    this.touch();
  }

  /** Clears the place of every record, because other users moved records. The order is loaded again. */
  forgetPlaces(): void {
    for (const [place, id] of this.order.entries()) {
      if (id !== undefined && !this.#drafts.has(id)) this.order[place] = undefined;
    }
    this.forget();
  }

  /**
   * Marks these records as unloaded unless they are visible; they reload when they become visible. Returns the
   * visible ones.
   */
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
