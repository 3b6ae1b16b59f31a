/** The part of the screen of SQL that an address can name. */
export interface SqlSearch {
  /** A saved query. */
  readonly query?: string | undefined;
  /** A statement that somebody brings along, as from a table's filter. */
  readonly sql?: string | undefined;
}

export function readSqlSearch(search: Readonly<Record<string, unknown>>): SqlSearch {
  const { query, sql } = search;
  return {
    query: typeof query === "string" && query !== "" ? query : undefined,
    sql: typeof sql === "string" && sql !== "" ? sql : undefined,
  };
}
