/**
 * What was found by words and what was found by meaning, in one order. Both say how sure they are that
 * an article answers the question, from 0 to 1, and it does if either is right. Measured against the sum
 * of reciprocal ranks, which knows only that something is first and not by how much: an article that
 * shares a common word with the question no longer goes before the one that answers it.
 */
import type { TextHit } from "./full-text.ts";
import type { VectorHit } from "./vector-index.ts";

/** Less alike is by chance. */
export const SIMILARITY_MIN = 0.22;
/** As much alike as a question and its answer get. */
const MOST_LIKENESS = 0.75;
/** All words of the question are there, at the least and at the most. */
const ALL_WORDS = { least: 0.5, most: 0.95 };
/** Nearly all are. A few of many say little, however often they are there. */
const SOME_WORDS_MOST = 0.5;

export type MatchKind = "text" | "meaning";

export interface RankedHit {
  readonly id: string;
  readonly score: number;
  readonly matchedBy: readonly MatchKind[];
  /** The piece whose meaning is nearest. */
  readonly chunk: number;
}

/** All that was found, the best first. */
export function fuseRankings(
  hits: readonly TextHit[],
  near: readonly VectorHit[],
): readonly RankedHit[] {
  const most = Math.max(...hits.map(({ rank }) => rank), Number.MIN_VALUE);
  const byWords = new Map(hits.map((hit) => [hit.id, sureByWords(hit, most)]));
  const byMeaning = new Map(near.map((one) => [one.id, one]));
  return [...new Set([...byWords.keys(), ...byMeaning.keys()])]
    .map((id): RankedHit => {
      const [words, meaning] = [byWords.get(id), byMeaning.get(id)];
      const doubt =
        (1 - (words ?? 0)) * (1 - (meaning ? isStrongVectorMatch(meaning.likeness) : 0));
      const ways: MatchKind[] = [];
      if (words !== undefined) ways.push("text");
      if (meaning) ways.push("meaning");
      return { id, score: rounded(1 - doubt), matchedBy: ways, chunk: meaning?.chunk ?? 0 };
    })
    .toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
}

function sureByWords({ hasAll, coverage, rank }: TextHit, most: number): number {
  const share = rank / most;
  const { least, most: top } = ALL_WORDS;
  if (hasAll) return least + (top - least) * share;
  return SOME_WORDS_MOST * coverage ** 2 * ((1 + share) / 2);
}

/** How sure a likeness makes. */
export function isStrongVectorMatch(likeness: number): number {
  const share = (likeness - SIMILARITY_MIN) / (MOST_LIKENESS - SIMILARITY_MIN);
  return Math.min(Math.max(share, 0), 1);
}

const DECIMALS = 10_000;

/** Four decimals are more than it means. */
export function rounded(score: number): number {
  return Math.round(score * DECIMALS) / DECIMALS;
}
