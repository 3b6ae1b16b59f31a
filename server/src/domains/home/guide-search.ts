/** Searches the guides. They are few, so scanning all of them takes a millisecond. */
import { type Guide, listGuides } from "./guide.ts";
import { titleOf, toAnchor } from "./guide-page.ts";

const HITS_MAX = 20;
const WORDS_MAX = 8;
const EXCERPT_CHARACTERS = 160;
const HEADING_WEIGHT = 8;
const COUNTED_MAX = 5;

export interface GuideHit {
  readonly name: string;
  readonly title: string;
  readonly heading: string;
  readonly anchor: string;
  readonly excerpt: string;
}

interface GuideSection extends Omit<GuideHit, "excerpt"> {
  readonly text: string;
}

let sections: Promise<readonly GuideSection[]> | undefined;

/** The sections that contain all words of a text. Matches in headings come first. */
export async function searchGuides(text: string): Promise<GuideHit[]> {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean).slice(0, WORDS_MAX);
  if (words.length === 0) return [];
  sections ??= listGuides().then((guides) => guides.flatMap(toSections));
  return (await sections)
    .map((section) => ({ section, score: scoreSection(section, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, HITS_MAX)
    .map(({ section: { text: body, ...section } }) => ({
      ...section,
      excerpt: toExcerpt(body, words),
    }));
}

function toSections(guide: Guide): GuideSection[] {
  const title = titleOf(guide);
  return guide.markdown.split(/^(?=#{1,4} )/m).map((part) => {
    const [, heading = title] = /^#{1,4} (.+)$/m.exec(part) ?? [];
    const text = part
      .replace(/^#.*$/m, "")
      .replaceAll(/[`*|]|\]\([^)]*\)|!?\[/g, "")
      .trim();
    return { name: guide.name, title, heading, anchor: toAnchor(heading), text };
  });
}

function scoreSection({ title, heading, text }: GuideSection, words: readonly string[]): number {
  const head = `${title} ${heading}`.toLowerCase();
  const body = text.toLowerCase();
  let score = 0;
  for (const word of words) {
    const count = Math.min(COUNTED_MAX, body.split(word).length - 1);
    const own = count + (head.includes(word) ? HEADING_WEIGHT : 0);
    if (own === 0) return 0;
    score += own;
  }
  return score;
}

function toExcerpt(text: string, words: readonly string[]): string {
  const plain = text.replaceAll(/\s+/g, " ");
  const at = Math.max(0, plain.toLowerCase().indexOf(words[0] ?? "") - EXCERPT_CHARACTERS / 4);
  const part = plain.slice(at, at + EXCERPT_CHARACTERS);
  return `${at > 0 ? "…" : ""}${part}${at + EXCERPT_CHARACTERS < plain.length ? "…" : ""}`;
}
