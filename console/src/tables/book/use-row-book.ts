/** The records of a list for a screen: read in pages as they come into sight, and kept as the log says. */
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { call, useOp } from "../../data/api.ts";
import { type LogEvent, onEvent, onGap } from "../../data/live/live.ts";
import { useMe } from "../../data/people.ts";
import { isSame } from "../column/value.ts";
import type { Condition } from "../filter/filter-tree.ts";
import { type Flash, type ReadPage, RowBook } from "./row-book.ts";
import { readRows } from "./send-change.ts";

const BURST_MS = 120;
const FLASH_MS = 2_600;
const DRAW_MS = 30;
const IDS_MAX = 200;

/** A list: which records, in which order, and the figures wanted of it. */
export interface ListSpec {
  readonly slug: string;
  readonly filter: Condition;
  readonly q: string;
  /** With the field of the groups first. */
  readonly sort: string;
  /** References whose names are shown. */
  readonly expand: string;
}

/** The query of the API for a list. */
export function toQuery({ filter, q, sort, expand }: ListSpec) {
  return {
    ...(Object.keys(filter).length > 0 && { filter: JSON.stringify(filter) }),
    ...(q !== "" && { q }),
    sort: sort === "" ? "id" : sort,
    ...(expand !== "" && { expand }),
  };
}

export function useRowBook(spec: ListSpec): RowBook {
  const key = JSON.stringify(spec);
  const book = useMemo(() => new RowBook(pageReader(JSON.parse(key) as ListSpec)), [key]);
  useSyncExternalStore(book.subscribe, () => book.version);
  useEffect(() => () => book.close(), [book]);
  useLiveRows(book, spec);
  return book;
}

function pageReader(spec: ListSpec): ReadPage {
  return async (offset, limit, signal) => {
    const query = { ...toQuery(spec), limit, ...(offset > 0 && { offset }) };
    const { data, pagination } = await call(
      "records.list",
      { params: { slug: spec.slug }, query },
      { signal },
    );
    const rows = data as readonly Readonly<Record<string, unknown>>[];
    return { rows, hasMore: pagination.nextCursor !== null };
  };
}

/** Counts the list with the figures of its columns; the count is the height of the grid. */
export function useSummary(spec: ListSpec, by: string | null, figures: string) {
  const { sort: _, expand: __, ...query } = toQuery(spec);
  return useOp("records.summarize", {
    params: { slug: spec.slug },
    query: { ...query, ...(by !== null && { by }), ...(figures !== "" && { figures }) },
  });
}

interface RecordEvent {
  readonly tableSlug?: unknown;
  readonly changes?: readonly string[];
  readonly after?: Readonly<Record<string, unknown>>;
}

/** Shows what others do. Nothing moves under somebody's hands: what has no certain place is only counted. */
function useLiveRows(book: RowBook, { slug, filter, q, sort }: ListSpec): void {
  const me = useMe()?.user.id;
  const isPlain = Object.keys(filter).length === 0 && q === "" && sort === "";
  useEffect(() => {
    const stale = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = async (): Promise<void> => {
      timer = undefined;
      const ids = [...stale].slice(0, IDS_MAX);
      stale.clear();
      try {
        for (const record of await readRows(slug, ids)) book.keep(record);
        book.touch();
      } catch {
        // It is read again with the page that it is on.
        book.forget();
      }
    };
    const reread = (id: string): void => {
      stale.add(id);
      timer ??= setTimeout(() => void refresh(), BURST_MS);
    };
    const leave = onEvent((event) => {
      const data = event.data as RecordEvent;
      if (!event.type.startsWith("record.") || data.tableSlug !== slug) return;
      followEvent(book, event, { isMine: event.actor.id === me, isPlain, reread });
    });
    const leaveGaps = onGap(() => book.forget());
    return () => {
      clearTimeout(timer);
      leave();
      leaveGaps();
    };
  }, [book, slug, me, isPlain]);
}

interface Follow {
  readonly isMine: boolean;
  readonly isPlain: boolean;
  readonly reread: (id: string) => void;
}

function followEvent(book: RowBook, event: LogEvent, { isMine, isPlain, reread }: Follow): void {
  const { id } = event.resource;
  const data = event.data as RecordEvent;
  const row = book.rows.get(id);
  if (event.type === "record.updated" && row) {
    const changed = (data.changes ?? []).filter(
      (field) => !isSame(row.values[field], data.after?.[field]),
    );
    // What we wrote ourselves is there already.
    if (changed.length === 0 && isMine) return;
    if (changed.length > 0) flash(book, id, { fields: changed, by: event.actor.name });
    reread(id);
  } else if (event.type === "record.deleted" && row) {
    book.remove(id);
    touchSoon(book);
  } else if (event.type === "record.created" && !row && !isMine) {
    if (isPlain && !book.order.includes(undefined, Math.max(0, book.count - 1))) {
      const { tableSlug: _, tableId: __, tableRevision: ___, ...record } = event.data;
      book.put(book.count, [{ ...record, revision: 1 }]);
      flash(book, id, { fields: Object.keys(record), by: event.actor.name });
    } else book.unseen += 1;
    touchSoon(book);
  }
}

/** Books that are drawn in a moment. */
const drawn = new WeakSet<RowBook>();

/** Draws what came meanwhile in one go: a colleague's paste is a thousand events. */
function touchSoon(book: RowBook): void {
  if (drawn.has(book)) return;
  drawn.add(book);
  setTimeout(() => {
    drawn.delete(book);
    book.touch();
  }, DRAW_MS);
}

function flash(
  book: RowBook,
  id: string,
  { fields, by }: { readonly fields: readonly string[]; readonly by: string },
): void {
  const mark: Flash = { fields: new Set(fields), by, atMs: Date.now() };
  book.flashes.set(id, mark);
  setTimeout(() => {
    if (book.flashes.get(id) !== mark) return;
    book.flashes.delete(id);
    touchSoon(book);
  }, FLASH_MS);
}
