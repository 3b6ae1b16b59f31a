/** The search over everything: each domain declares what of its own can be found, and by what. */
import { sql } from "kysely";
import type { Permission } from "../access/permission.ts";
import type { ReadContext } from "../contract.ts";
import { extensionPoint } from "../extension-point.ts";

/** A text that somebody looks for. */
export interface SearchQuery {
  /** In lower case, without spaces at its ends. */
  readonly text: string;
  /** Its words; of the last one perhaps only the beginning is there yet. */
  readonly words: readonly string[];
  /** As it was typed, for ids and numbers. */
  readonly raw: string;
  readonly limit: number;
}

/** A thing that was found. */
export interface SearchHit {
  readonly id: string;
  readonly title: string;
  /** A second line: a number, a state, an address. */
  readonly detail?: string | null;
  /** The name that people quote: a ticket's number, a table's slug. */
  readonly ref?: string | null;
  /** The slug of the table that a record is in. */
  readonly table?: string;
}

/** One kind of things that can be found. */
export interface SearchSource {
  /** The resource type: `workflow`, `incident`. */
  readonly kind: string;
  /** Without it the caller finds none of them. */
  readonly permission: Permission;
  /** In the partition of the transaction, as this caller sees it; the best or newest first. */
  readonly search: (ctx: ReadContext, query: SearchQuery) => Promise<readonly SearchHit[]>;
}

/** Where domains declare what can be found. */
export const SearchSourcePoint = extensionPoint<SearchSource>("kernel.search_sources");

/** The rows of a table, by SQL over its columns. */
export interface SearchedTable {
  readonly table: string;
  readonly id?: string;
  readonly title: string;
  readonly detail?: string;
  readonly ref?: string;
  /** Expressions besides the title in which words may stand. */
  readonly also?: readonly string[];
  /** A condition on all rows; no part of it comes from a request. */
  readonly where?: string;
  readonly order?: string;
  /** Its kind in `search_names`, whose index finds the rows of a large table. */
  readonly indexed?: string;
}

/** So many of the newest rows of a large table are looked through; further ones are found by its index alone. */
const SCANNED_ROWS_MAX = 2_000;
/** A single letter begins too many words to be of use. */
const WORD_CHARACTERS_MIN = 2;

/** Finds the rows of a table that have every word in their title or in another of these texts. */
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

/** The tsquery of all words; of the last one the beginning is enough. */
function wordsQuery(words: readonly string[]) {
  // Quoted, it is a text and no query; of quotes and backslashes nothing can be looked for.
  const prefix = `'${words.at(-1)?.replaceAll(/['\\]/g, " ")}':*`;
  const rest = words.slice(0, -1).join(" ");
  return sql`plainto_tsquery('simple', ${rest}) && to_tsquery('simple', ${prefix})`;
}

/** The pattern of a text for LIKE, wherever it stands. */
export function containsPattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
}
