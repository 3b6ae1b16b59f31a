/** The search parameters of the SQL screen. */
export interface SqlSearch {
  /** The id of a saved query. */
  readonly query?: string | undefined;
  /** A given statement, for example from a table's filter. */
  readonly sql?: string | undefined;
}

export function readSqlSearch(search: Readonly<Record<string, unknown>>): SqlSearch {
  const { query, sql } = search;
  return {
    query: typeof query === "string" && query !== "" ? query : undefined,
    sql: typeof sql === "string" && sql !== "" ? sql : undefined,
  };
}
