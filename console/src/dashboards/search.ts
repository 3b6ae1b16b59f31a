/** The search parameters of a dashboard: filters and edit mode. */
export interface DashboardSearch {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Uses the period of each tile instead of the dashboard's period. */
  readonly period?: "own" | undefined;
  /** Filter conditions by field, as JSON. */
  readonly filter?: string | undefined;
  readonly edit?: true | undefined;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

export function readDashboardSearch(search: Readonly<Record<string, unknown>>): DashboardSearch {
  const filter =
    typeof search["filter"] === "object" && search["filter"] !== null
      ? JSON.stringify(search["filter"])
      : textOf(search["filter"]);
  return {
    from: textOf(search["from"]),
    to: textOf(search["to"]),
    period: search["period"] === "own" ? "own" : undefined,
    filter,
    edit: search["edit"] === true || search["edit"] === "true" ? true : undefined,
  };
}

export interface BarPeriod {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Returns the displayed period: the selected one, or the default of the dashboard. */
export function shownPeriod(search: DashboardSearch, saved: BarPeriod | null): BarPeriod {
  if (search.from !== undefined) return { from: search.from, to: search.to };
  return search.period === "own" ? {} : (saved ?? {});
}

/** Returns the search parameters for a period: "own" only if the dashboard has a default period. */
export function searchPeriod({ from, to }: BarPeriod, saved: BarPeriod | null) {
  return { from, to, period: from === undefined && saved ? ("own" as const) : undefined };
}

export type BarFilter = Readonly<Record<string, unknown>>;

export function readFilter(filter: string | undefined): BarFilter {
  try {
    const value: unknown = JSON.parse(filter ?? "{}");
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as BarFilter)
      : {};
  } catch {
    return {};
  }
}

/** Adds a group to the filter, or removes it if it is already there. */
export function toggleGroup(filter: BarFilter, group: BarFilter): BarFilter {
  const isSame = Object.entries(group).every(
    ([name, value]) => JSON.stringify(filter[name]) === JSON.stringify(value),
  );
  const rest = Object.entries(filter).filter(([name]) => !(name in group));
  return Object.fromEntries(isSame ? rest : [...rest, ...Object.entries(group)]);
}

export function writeFilter(filter: BarFilter): string | undefined {
  return Object.keys(filter).length === 0 ? undefined : JSON.stringify(filter);
}
