/**
 * Rank fusion: combines full-text hits and vector hits into one order. Each search gives a confidence from 0 to 1
 * that an article answers the query, and one correct search is sufficient. This measured better than reciprocal rank
 * fusion (RRF), which knows ranks but not distances: an article that shares only a common word with the query no
 * longer ranks first.
 */
import type { TextHit } from "./full-text.ts";
import type { VectorHit } from "./vector-index.ts";

/** A smaller similarity is random. */
export const SIMILARITY_MIN = 0.22;
/** The best similarity measured between a question and its answer. */
const SIMILARITY_MAX = 0.75;
/** The confidence for an article with all words of the query. */
const ALL_WORDS_CONFIDENCE = { min: 0.5, max: 0.95 };
/**
 * The maximum confidence for an article with some of the words. Few matching words mean little, even if they are
 * frequent.
 */
const SOME_WORDS_CONFIDENCE_MAX = 0.5;

export type MatchKind = "text" | "meaning";

export interface RankedHit {
  readonly id: string;
  readonly score: number;
  readonly matchedBy: readonly MatchKind[];
  /** The chunk with the nearest vector. */
  readonly chunk: number;
}

/** Combines the hits of both searches, best first. */
export function fuseRankings(
  textHits: readonly TextHit[],
  vectorHits: readonly VectorHit[],
): readonly RankedHit[] {
  const rankMax = Math.max(...textHits.map(({ rank }) => rank), Number.MIN_VALUE);
  const byText = new Map(textHits.map((hit) => [hit.id, textConfidence(hit, rankMax)]));
  const byVector = new Map(vectorHits.map((hit) => [hit.id, hit]));
  return [...new Set([...byText.keys(), ...byVector.keys()])]
    .map((id): RankedHit => {
      const [words, meaning] = [byText.get(id), byVector.get(id)];
      const doubt = (1 - (words ?? 0)) * (1 - (meaning ? vectorConfidence(meaning.similarity) : 0));
      const matchedBy: MatchKind[] = [];
      if (words !== undefined) matchedBy.push("text");
      if (meaning) matchedBy.push("meaning");
      return { id, score: roundScore(1 - doubt), matchedBy, chunk: meaning?.chunk ?? 0 };
    })
    .toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
}

function textConfidence({ hasAll, coverage, rank }: TextHit, rankMax: number): number {
  const share = rank / rankMax;
  const { min, max } = ALL_WORDS_CONFIDENCE;
  if (hasAll) return min + (max - min) * share;
  return SOME_WORDS_CONFIDENCE_MAX * coverage ** 2 * ((1 + share) / 2);
}

/** The confidence of a similarity. */
export function vectorConfidence(similarity: number): number {
  const share = (similarity - SIMILARITY_MIN) / (SIMILARITY_MAX - SIMILARITY_MIN);
  return Math.min(Math.max(share, 0), 1);
}

const DECIMALS = 10_000;

/** Rounds to four decimals. */
export function roundScore(score: number): number {
  return Math.round(score * DECIMALS) / DECIMALS;
}
