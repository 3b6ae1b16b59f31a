import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { Visibility } from "../article.ts";

/** An article that has words of the question. */
export interface TextHit {
  readonly id: string;
  /** Whether it has all of them, in the way that the question asks for. */
  readonly hasAll: boolean;
  /** Which share of them it has. */
  readonly coverage: number;
  /** By how often and where, compared with the other hits only. */
  readonly rank: number;
}

/** What is looked for by its words. */
export interface WordQuestion {
  readonly words: string;
  /** Whether quotes, `or` and `-` mean something, as people who search expect. */
  readonly isTyped: boolean;
}

/** Both are functions of PostgreSQL. */
function parserOf({ isTyped }: WordQuestion): string {
  return isTyped ? "websearch_to_tsquery" : "plainto_tsquery";
}

/** The query that has all words; in English, and as they stand, for names that English makes nothing of. */
export function querySql(question: WordQuestion, place: string): string {
  const parse = parserOf(question);
  return `(${parse}('english', ${place}::text) || ${parse}('simple', ${place}::text))`;
}

const HITS_MAX = 100;

/** The published articles that have words of the question: first those with all of them. */
export async function findByWords(
  tx: Tx,
  question: WordQuestion,
  visible: readonly Visibility[],
): Promise<readonly TextHit[]> {
  // A question that excludes words or puts them in a row is meant as it stands; of others one word will do.
  const text = `
    with asked as (select ${querySql(question, "$1")} as all_of,
                          ${parserOf(question)}('english', $1::text)::text as english)
    select hit.article_id as id, hit.has_all as "hasAll", hit.coverage, hit.rank
      from asked, search_articles(
        asked.all_of,
        case when asked.english ~ '[!<]' then asked.all_of
             else replace(asked.english, ' & ', ' | ')::tsquery end,
        tsvector_to_array(to_tsvector('english', $1::text)), $2::text[], ${HITS_MAX}) hit`;
  const rows = await queryRows(tx, text, [question.words, visible]);
  return rows as unknown as readonly TextHit[];
}
