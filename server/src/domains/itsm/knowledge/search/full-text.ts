import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { Visibility } from "../article.ts";

/** An article with words of the query. */
export interface TextHit {
  readonly id: string;
  /** True if it matches the complete query. */
  readonly hasAll: boolean;
  /** The share of the query's words in the article. */
  readonly coverage: number;
  /** By frequency and position. Comparable only within one search. */
  readonly rank: number;
}

export interface TextQuery {
  readonly words: string;
  /** True for typed queries, which can contain quotes, `or` and `-` as operators. */
  readonly isTyped: boolean;
}

function parserName({ isTyped }: TextQuery): string {
  return isTyped ? "websearch_to_tsquery" : "plainto_tsquery";
}

/** The tsquery of all words: stemmed by language, and unstemmed for names. */
export function querySql(query: TextQuery, parameter: string, language: string): string {
  const parse = parserName(query);
  const stemmed = `${parse}(text_config(${language}), ${parameter}::text)`;
  return `(${stemmed} || ${parse}('simple', ${parameter}::text))`;
}

const HITS_MAX = 100;

/** Finds published articles by words. Articles with all words are ranked first. */
export async function findByText(
  tx: Tx,
  query: TextQuery,
  visible: readonly Visibility[],
): Promise<readonly TextHit[]> {
  // Articles use the text search configuration of their language. Queries with exclusions or phrases must match
  // completely; for others a single word is enough.
  const text = `
    with asked as (
      select language, ${querySql(query, "$1", "language")} as all_of,
             ${parserName(query)}(text_config(language), $1::text)::text as stemmed
        from (select distinct language from articles where state = 'published') spoken)
    select hit.article_id as id, hit.has_all as "hasAll", hit.coverage, hit.rank
      from asked, search_articles(
        asked.all_of,
        case when asked.stemmed ~ '[!<]' then asked.all_of
             else replace(asked.stemmed, ' & ', ' | ')::tsquery end,
        tsvector_to_array(to_tsvector(text_config(asked.language), $1::text)), $2::text[],
        asked.language, ${HITS_MAX}) hit
     order by hit.has_all desc, hit.rank desc limit ${HITS_MAX}`;
  return queryRows<TextHit>(tx, text, [query.words, visible]);
}
