import type { Tx } from "#kernel/db/connection.ts";
import { rowsOf } from "#kernel/db/statement.ts";
import { markup } from "#kernel/html/markup.ts";
import { piecesOf } from "./search/chunk.ts";
import { querySql, type WordQuestion } from "./search/full-text.ts";
import type { Found } from "./search/rank-fusion.ts";

const CHARACTERS_MAX = 240;
/** Where words are looked for to show them; what is further down is found but not shown. */
const SHOWN_CHARACTERS_MAX = 20_000;
const PIECES_CHARACTERS_MAX = 100_000;
/** Nobody can type them, and the text is rid of them first. */
const START = "\u0001";
const STOP = "\u0002";

/**
 * A few words of each article, as HTML: those of the question marked where it has them, else how the
 * piece begins whose meaning is nearest.
 */
export async function snippetsOf(
  tx: Tx,
  question: WordQuestion,
  found: readonly Found[],
): Promise<ReadonlyMap<string, string>> {
  const byWords = found.filter(({ matchedBy }) => matchedBy.includes("text"));
  const text = `
    select id,
           case when id = any($2::text[]) then
             ts_headline('english', translate(left(plain, ${SHOWN_CHARACTERS_MAX}), $4, ''),
                         ${querySql(question, "$3")},
                         'MaxFragments=2, MinWords=8, MaxWords=25, FragmentDelimiter=" … ", '
                         || 'StartSel=' || left($4, 1) || ', StopSel=' || right($4, 1))
           else left(plain, ${PIECES_CHARACTERS_MAX}) end as text
      from articles where id = any($1::text[])`;
  const rows = await rowsOf(tx, text, [
    found.map(({ id }) => id),
    byWords.map(({ id }) => id),
    question.words,
    START + STOP,
  ]);
  const texts = new Map(rows.map((row) => [String(row["id"]), String(row["text"])]));
  return new Map(
    found.map((one) => {
      const words = texts.get(one.id) ?? "";
      return [one.id, byWords.includes(one) ? marked(words) : beginning(words, one.chunk)];
    }),
  );
}

function marked(text: string): string {
  return escaped(text).replaceAll(START, "<mark>").replaceAll(STOP, "</mark>");
}

function beginning(plain: string, chunk: number): string {
  const piece = piecesOf(plain)[chunk] ?? "";
  if (piece.length <= CHARACTERS_MAX) return escaped(piece);
  return `${escaped(piece.slice(0, CHARACTERS_MAX).replace(/\s+\S*$/, ""))} …`;
}

function escaped(text: string): string {
  return markup`${text}`.text;
}
