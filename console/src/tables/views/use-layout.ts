/** The layout of a table's screen: its view, the search parameters and unsaved changes. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useOp } from "../../data/api.ts";
import type { TableSearch } from "../search.ts";
import { type Layout, layoutOf, PLAIN, type SavedView } from "./layout.ts";

const TABLE_ROUTE = "/inside/tables/$slug";

export interface LayoutState {
  readonly views: readonly SavedView[];
  readonly view: SavedView | undefined;
  readonly layout: Layout;
  /** True if the layout differs from its view. */
  readonly isChanged: boolean;
  readonly change: (next: Partial<Layout>) => void;
  readonly reset: () => void;
  readonly search: TableSearch;
  readonly show: (next: TableSearch) => void;
}

export function useLayoutState(slug: string): LayoutState {
  const search = useSearch({ from: TABLE_ROUTE });
  const navigate = useNavigate();
  const filter = JSON.stringify({ table: slug });
  const views = useOp("table_views.list", { query: { filter, limit: 200 } }).data?.data ?? NONE;
  const view = views.find(({ id }) => id === search.view);
  const [memory, setMemory] = useState<Readonly<Record<string, Partial<Layout>>>>(() =>
    readMemory(slug),
  );
  const key = search.view ?? "";
  const base = useMemo(() => (view ? layoutOf(view) : PLAIN), [view]);
  const own = memory[key];
  const layout = useMemo(
    (): Layout => ({
      ...base,
      ...own,
      ...(search.filter !== undefined && { filter: search.filter }),
      ...(search.sort !== undefined && { sort: search.sort }),
      ...(search.group !== undefined && { groupBy: search.group || null }),
    }),
    [base, own, search.filter, search.sort, search.group],
  );
  const show = (next: TableSearch): void =>
    void navigate({
      to: "/tables/$slug",
      params: { slug },
      search: { ...search, ...next },
      replace: true,
    });
  const keep = (next: Partial<Layout> | undefined): void => {
    const { [key]: _, ...others } = memory;
    const all = next === undefined ? others : { ...others, [key]: next };
    setMemory(all);
    writeMemory(slug, all);
  };
  const change = ({ filter: condition, sort, groupBy, ...rest }: Partial<Layout>): void => {
    if (Object.keys(rest).length > 0) keep({ ...own, ...rest });
    if (condition === undefined && sort === undefined && groupBy === undefined) return;
    show({
      ...(condition !== undefined && { filter: condition }),
      ...(sort !== undefined && { sort }),
      ...(groupBy !== undefined && { group: groupBy ?? "" }),
    });
  };
  const reset = (): void => {
    keep(undefined);
    show({ filter: undefined, sort: undefined, group: undefined });
  };
  const isChanged = JSON.stringify(layout) !== JSON.stringify(base);
  return { views, view, layout, isChanged, change, reset, search, show };
}

const NONE: readonly SavedView[] = [];

/** Personal settings such as column widths are stored in the browser because saved views are shared. */
const memoryName = (slug: string): string => `millrace.input.table.${slug}`;

function readMemory(slug: string): Readonly<Record<string, Partial<Layout>>> {
  try {
    const text = localStorage.getItem(memoryName(slug));
    return text === null ? {} : (JSON.parse(text) as Record<string, Partial<Layout>>);
  } catch {
    return {};
  }
}

function writeMemory(slug: string, memory: Readonly<Record<string, Partial<Layout>>>): void {
  localStorage.setItem(memoryName(slug), JSON.stringify(memory));
}
