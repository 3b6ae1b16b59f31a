/** The records of a list: loaded in pages as they become visible, and updated from the event log. */
import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { call, useOp } from "../../data/api.ts";
import { onEvent, onGap } from "../../data/live/live.ts";
import { useMe } from "../../data/people.ts";
import type { GridColumn } from "../column/column.ts";
import type { Condition } from "../filter/filter-tree.ts";
import { findSources } from "./derived-sources.ts";
import { forgetNames } from "./link-names.ts";
import { LiveRows } from "./live-rows.ts";
import { type ReadPage, RowBook } from "./row-book.ts";
import { readRows } from "./send-change.ts";

/** The list's filter, sort order and summaries. */
export interface ListSpec {
  readonly slug: string;
  readonly filter: Condition;
  readonly q: string;
  /** The group field comes first. */
  readonly sort: string;
  /** References whose names are displayed. */
  readonly expand: string;
}

/** Returns the API query of a list. */
export function toQuery({ filter, q, sort, expand }: ListSpec) {
  return {
    ...(Object.keys(filter).length > 0 && { filter: JSON.stringify(filter) }),
    ...(q !== "" && { q }),
    sort: sort === "" ? "id" : sort,
    ...(expand !== "" && { expand }),
  };
}

export function useRowBook(spec: ListSpec, columns: readonly GridColumn[]): RowBook {
  const key = JSON.stringify(spec);
  const book = useMemo(() => new RowBook(pageReader(JSON.parse(key) as ListSpec)), [key]);
  useSyncExternalStore(book.subscribe, () => book.version);
  useEffect(() => () => book.close(), [book]);
  useLiveRows(book, spec, columns);
  useColumnChanges(book, columns);
  return book;
}

function pageReader(spec: ListSpec): ReadPage {
  return async (offset, limit, signal) => {
    const query = { ...toQuery(spec), limit, ...(offset > 0 && { offset }) };
    let isLate = false;
    const onLate = (): void => {
      isLate = true;
    };
    const { data, pagination } = await call(
      "records.list",
      { params: { slug: spec.slug }, query },
      { signal, onLate },
    );
    const rows = data as readonly Readonly<Record<string, unknown>>[];
    return { rows, hasMore: pagination.nextCursor !== null, isLate };
  };
}

/** Loads the number of records, which defines the grid's height, and the column summaries. */
export function useSummary(spec: ListSpec, by: string | null, figures: string) {
  const { sort: _, expand: __, ...query } = toQuery(spec);
  return useOp("records.summarize", {
    params: { slug: spec.slug },
    query: { ...query, ...(by !== null && { by }), ...(figures !== "" && { figures }) },
  });
}

/** Applies changes by other users to an open book. Pending reloads are kept when the screen changes its parameters. */
function useLiveRows(book: RowBook, spec: ListSpec, columns: readonly GridColumn[]): void {
  const { slug, filter, q, sort, expand } = spec;
  const me = useMe()?.user.id;
  const isPlain = Object.keys(filter).length === 0 && q === "" && sort === "";
  const sources = useMemo(() => findSources(columns), [columns]);
  const rows = useMemo(
    () => new LiveRows(book, (ids) => readRows(slug, ids, { expand })),
    [book, slug, expand],
  );
  useEffect(() => {
    rows.open();
    return () => rows.close();
  }, [rows]);
  useEffect(() => {
    const { isDerived, reads } = sources;
    const leave = onEvent((event) => {
      if (!event.type.startsWith("record.")) return;
      const table = String(event.data["tableSlug"]);
      if (table === slug) rows.follow(event, { isMine: event.actor.id === me, isPlain, isDerived });
      if (!reads(table)) return;
      forgetNames(book, [event.resource.id]);
      rows.rereadAll();
    });
    const leaveGaps = onGap(() => book.forget());
    return () => {
      leave();
      leaveGaps();
    };
  }, [rows, book, slug, me, isPlain, sources]);
}

/** Reloads values when a column was added or its definition changed. */
function useColumnChanges(book: RowBook, columns: readonly GridColumn[]): void {
  const shape = JSON.stringify(columns.map(({ name, type, options }) => [name, type, options]));
  const read = useRef({ book, shape });
  useEffect(() => {
    const before = read.current;
    read.current = { book, shape };
    if (before.book === book && before.shape !== shape) book.forget();
  }, [book, shape]);
}
