/**
 * Applies changes by other users, from the event log, to a list. Displayed rows do not move while a user works: new
 * records without a certain position are only counted. An event can arrive while an older page is loading, so these
 * events are applied again after that page.
 */
import type { LogEvent } from "../../data/live/live.ts";
import { isSame } from "../column/value.ts";
import type { Flash, RowBook } from "./row-book.ts";

const BURST_MS = 120;
const FLASH_MS = 2_600;
const DRAW_MS = 30;
/** Above this number, the visible page is reloaded instead. */
const IDS_MAX = 400;
const HELD_MAX = 1_000;

type StoredRecord = Readonly<Record<string, unknown>>;
/** Loads the current state of records by id. */
type ReadRows = (ids: readonly string[]) => Promise<readonly StoredRecord[]>;

interface RecordData {
  readonly changes?: readonly string[];
  readonly after?: StoredRecord;
}

interface Told {
  readonly isMine: boolean;
  /** True if the list is in creation order and has no filter. */
  readonly isPlain: boolean;
  /** The server computes some values of a record, or returns names of referenced records. */
  readonly isDerived: boolean;
}

type RecordEvent = Pick<LogEvent, "type" | "resource" | "actor" | "data">;

export class LiveRows {
  readonly #book: RowBook;
  readonly #readRows: ReadRows;
  /** Records that will be reloaded shortly. */
  readonly #stale = new Set<string>();
  /** Events that arrived during a page request. */
  #held: (readonly [RecordEvent, Told])[] = [];
  #isOverfull = false;
  #reread: ReturnType<typeof setTimeout> | undefined;
  #willDraw = false;
  #leave: (() => void)[] = [];

  constructor(book: RowBook, readRows: ReadRows) {
    this.#book = book;
    this.#readRows = readRows;
  }

  open(): void {
    this.#leave = [
      this.#book.onPage(() => this.#followHeld()),
      this.#book.onWritten((ids) => this.reread(ids)),
    ];
    if (this.#stale.size > 0) this.#rereadSoon();
  }

  close(): void {
    clearTimeout(this.#reread);
    this.#reread = undefined;
    for (const leave of this.#leave) leave();
  }

  /** Reloads records whose derived values may have changed. */
  reread(ids: Iterable<string>): void {
    for (const id of ids) this.#stale.add(id);
    if (this.#stale.size > 0) this.#rereadSoon();
  }

  /** Reloads all records as they become visible, because records that they refer to have changed. */
  rereadAll(): void {
    this.reread(this.#book.rows.keys());
  }

  follow(event: RecordEvent, told: Told): void {
    if (this.#book.isReading) {
      if (this.#held.length < HELD_MAX) this.#held.push([event, told]);
      else this.#isOverfull = true;
      // The position of a new record is only known when its page is loaded.
      if (event.type === "record.created") return;
    }
    this.#apply(event, told);
  }

  /** An older page may still be loading, so the events are kept until the last response. */
  #followHeld(): void {
    const held = this.#held;
    const isDone = !this.#book.isReading;
    if (isDone) this.#held = [];
    for (const [event, told] of held) {
      if (isDone || event.type !== "record.created") this.#apply(event, told);
    }
    if (!isDone || !this.#isOverfull) return;
    this.#isOverfull = false;
    this.#book.forget();
  }

  #apply(event: RecordEvent, { isMine, isPlain, isDerived }: Told): void {
    const { id } = event.resource;
    const book = this.#book;
    const row = book.rows.get(id);
    if (event.type === "record.updated" && row) {
      const { changes = [], after } = event.data as RecordData;
      const changed = changes.filter((field) => !isSame(row.values[field], after?.[field]));
      // Our own changes are already displayed; only derived values must be loaded.
      if (changed.length === 0 && isMine && !isDerived) return;
      if (changed.length > 0) this.#flash(id, { fields: changed, by: event.actor.name });
      this.#stale.add(id);
      this.#rereadSoon();
    } else if (event.type === "record.deleted" && row) {
      book.remove(id);
      this.#drawSoon();
    } else if (event.type === "record.created" && !row && !isMine) {
      if (isPlain && !book.order.includes(undefined, Math.max(0, book.count - 1))) {
        const { tableSlug: _, tableId: __, tableRevision: ___, ...record } = event.data;
        book.insert(book.count, book.keep({ ...record, revision: 1 }));
        if (isDerived) this.reread([id]);
        this.#flash(id, { fields: Object.keys(record), by: event.actor.name });
      } else book.unseen += 1;
      this.#drawSoon();
    }
  }

  #rereadSoon(): void {
    this.#reread ??= setTimeout(() => void this.#readStale(), BURST_MS);
  }

  async #readStale(): Promise<void> {
    this.#reread = undefined;
    const book = this.#book;
    const ids = book.takeInSight(this.#stale);
    this.#stale.clear();
    if (ids.length === 0) return undefined;
    if (ids.length > IDS_MAX) return book.forget();
    try {
      for (const record of await this.#readRows(ids)) book.keep(record);
      return book.touch();
    } catch {
      // The record is loaded together with its page.
      return book.forget();
    }
  }

  /** Renders incoming changes in batches: a paste by another user causes up to a thousand events. */
  #drawSoon(): void {
    if (this.#willDraw) return;
    this.#willDraw = true;
    setTimeout(() => {
      this.#willDraw = false;
      this.#book.touch();
    }, DRAW_MS);
  }

  #flash(
    id: string,
    { fields, by }: { readonly fields: readonly string[]; readonly by: string | undefined },
  ): void {
    const { flashes } = this.#book;
    const mark: Flash = { fields: new Set(fields), by, atMs: Date.now() };
    flashes.set(id, mark);
    setTimeout(() => {
      if (flashes.get(id) !== mark) return;
      flashes.delete(id);
      this.#drawSoon();
    }, FLASH_MS);
  }
}
