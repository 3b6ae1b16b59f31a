/**
 * What others do to the records of a list, as the log tells it. Nothing moves under somebody's hands: what has no
 * certain place is only counted. An event may be told while a page is on its way that was read before it happened: such
 * events are followed once more when the page is there.
 */
import type { LogEvent } from "../../data/live/live.ts";
import { isSame } from "../column/value.ts";
import type { Flash, RowBook } from "./row-book.ts";

const BURST_MS = 120;
const FLASH_MS = 2_600;
const DRAW_MS = 30;
/** Of more than these, what is in sight is read as a page. */
const IDS_MAX = 400;
const HELD_MAX = 1_000;

type StoredRecord = Readonly<Record<string, unknown>>;
/** Reads records by their ids, as they are now. */
type ReadRows = (ids: readonly string[]) => Promise<readonly StoredRecord[]>;

interface RecordData {
  readonly changes?: readonly string[];
  readonly after?: StoredRecord;
}

interface Told {
  readonly isMine: boolean;
  /** The list is in the order in which records are made, and has all of them. */
  readonly isPlain: boolean;
  /** The server computes some of a record's values, or names what it refers to. */
  readonly isDerived: boolean;
}

type RecordEvent = Pick<LogEvent, "type" | "resource" | "actor" | "data">;

export class LiveRows {
  readonly #book: RowBook;
  readonly #readRows: ReadRows;
  /** Records that are read again in a moment. */
  readonly #stale = new Set<string>();
  /** Events that were told while a page was on its way. */
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

  /** Reads records again: values that the server derives have changed, or may have. */
  reread(ids: Iterable<string>): void {
    for (const id of ids) this.#stale.add(id);
    if (this.#stale.size > 0) this.#rereadSoon();
  }

  /** Reads all records again, as they come into sight: what they refer to has changed. */
  rereadAll(): void {
    this.reread(this.#book.rows.keys());
  }

  follow(event: RecordEvent, told: Told): void {
    if (this.#book.isReading) {
      if (this.#held.length < HELD_MAX) this.#held.push([event, told]);
      else this.#isOverfull = true;
      // Its place is known when the page is there.
      if (event.type === "record.created") return;
    }
    this.#apply(event, told);
  }

  /** Another page may be on its way still, which is older: the events are kept until the last one is there. */
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
      // What we wrote ourselves is there already, but for what the server derives of it.
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
      // It is read again with the page that it is on.
      return book.forget();
    }
  }

  /** Draws what came meanwhile in one go: a colleague's paste is a thousand events. */
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
