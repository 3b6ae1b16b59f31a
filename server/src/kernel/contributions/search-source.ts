/** Global search: each domain declares which of its resources can be found and by which texts. */
import { sql } from "kysely";
import type { Permission } from "../access/permission.ts";
import type { ReadContext } from "../contract.ts";
import { extensionPoint } from "../extension-point.ts";

/** A search text. */
export interface SearchQuery {
  /** In lower case, trimmed. */
  readonly text: string;
  /** The words of the text. The last one may be incomplete. */
  readonly words: readonly string[];
  /** The text as typed, for ids and numbers. */
  readonly raw: string;
  readonly limit: number;
}

/** A search result. */
export interface SearchHit {
  readonly id: string;
  readonly title: string;
  /** A second line: a number, a state or an address. */
  readonly detail?: string | null;
  /** The public reference: a ticket number or a table slug. */
  readonly ref?: string | null;
  /** The slug of the record's table. */
  readonly table?: string;
}

/** A kind of searchable resources. */
export interface SearchSource {
  /** The resource type: `workflow`, `incident`. */
  readonly kind: string;
  /** Callers without this permission find none of them. */
  readonly permission: Permission;
  /** Searches the partition of the transaction with the caller's access rules. Best or newest results first. */
  readonly search: (ctx: ReadContext, query: SearchQuery) => Promise<readonly SearchHit[]>;
}

/** Domains declare searchable resources here. */
export const SearchSourcePoint = extensionPoint<SearchSource>("kernel.search_sources");

/** A table that is searched with SQL. */
export interface SearchedTable {
  readonly table: string;
  readonly id?: string;
  readonly title: string;
  readonly detail?: string;
  readonly ref?: string;
  /** Additional expressions to search, besides the title. */
  readonly also?: readonly string[];
  /** A condition on all rows. It never contains request data. */
  readonly where?: string;
  readonly order?: string;
  /** The kind in `search_names`, whose index finds the rows of large tables. */
  readonly indexed?: string;
}

/** The number of newest rows that are scanned in a large table. Older rows are found through the index only. */
const SCANNED_ROWS_MAX = 2_000;
/** Single letters match too often to be useful. */
const WORD_CHARACTERS_MIN = 2;

/** Finds the rows whose title or other texts contain every word. */
export function searchTable({
  table,
  id = "id",
  title,
  detail,
  ref,
  also = [],
  where = "true",
  order = "updated_at desc",
  indexed,
}: SearchedTable): SearchSource["search"] {
  const texts = [title, ...(ref === undefined ? [] : [ref]), ...also].map((one) => sql.raw(one));
  const [from, key, rows] = [table, id, `(${where})`].map((one) => sql.raw(one));
  const scanned =
    indexed === undefined ? sql`` : sql`order by ${key} desc limit ${SCANNED_ROWS_MAX}`;
  return async ({ tx }, { words, raw, limit }) => {
    const found = words.map((word) => sql`n.text ilike ${containsPattern(word)}`);
    const { rows: hits } = await sql<SearchHit>`
      with newest as (select ${key} as id, concat_ws(' ', ${sql.join(texts)}) as text
                        from ${from} where ${rows} ${scanned}),
           found as (select n.id from newest n where ${sql.join(found, sql` and `)}
                     union all select ${raw} ${selectIndexed(indexed, words, limit)})
      select ${key} as id, ${sql.raw(title)} as title,
             ${detail === undefined ? sql`null` : sql.raw(detail)} as detail,
             ${ref === undefined ? sql`null` : sql.raw(ref)} as ref
        from ${from}
       where ${rows} and ${key} in (select id from found)
       order by ${sql.raw(order)} limit ${limit}`.execute(tx);
    return hits;
  };
}

function selectIndexed(kind: string | undefined, words: readonly string[], limit: number) {
  const last = words.at(-1) ?? "";
  if (kind === undefined || last.length < WORD_CHARACTERS_MIN) return sql``;
  return sql`union all select i.id from search_names(${kind}, ${wordsQuery(words)}, ${limit}) i`;
}

/** A tsquery with all words. The last one is a prefix. */
function wordsQuery(words: readonly string[]) {
  // Quotes prevent the text from being parsed as a query. Quotes and backslashes cannot be searched.
  const prefix = `'${words.at(-1)?.replaceAll(/['\\]/g, " ")}':*`;
  const rest = words.slice(0, -1).join(" ");
  return sql`plainto_tsquery('simple', ${rest}) && to_tsquery('simple', ${prefix})`;
}

/** A LIKE pattern that finds a text at any position. */
export function containsPattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
}
