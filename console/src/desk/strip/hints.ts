import type { Schemas } from "../../data/api.ts";

/** A suggestion to insert or link. */
export interface Hint {
  readonly sort: "known_error" | "article" | "similar";
  readonly id: string;
  readonly number: string;
  readonly title: string;
  readonly about: string | undefined;
  /** The text to insert into the reply. */
  readonly text: string | undefined;
  /** The ticket to link. */
  readonly ticketId: string | undefined;
  readonly act: string;
}

const SHOWN_MAX = 5;
const EACH_MAX = 2;

/** Ranks known errors first, because they have a workaround; then articles; then similar tickets. */
export function rankHints(
  found: Schemas["Suggestions"] | undefined,
  ownId: string,
): readonly Hint[] {
  if (!found) return [];
  const known = found.knownErrors.slice(0, EACH_MAX).map((one): Hint => ({
    sort: "known_error",
    id: one.id,
    number: one.number,
    title: one.title,
    about: one.workaround ?? undefined,
    text: one.workaround ?? undefined,
    ticketId: one.id,
    act: one.workaround ? "insert workaround and link" : "link",
  }));
  const articles = found.articles.slice(0, EACH_MAX).map((one): Hint => ({
    sort: "article",
    id: one.id,
    number: one.number,
    title: one.title,
    about: undefined,
    text: `${one.title} (${one.number}): ${one.summary || one.snippet}`,
    ticketId: undefined,
    act: "insert link",
  }));
  const similar = found.similarIncidents
    .filter(({ id }) => id !== ownId)
    .slice(0, EACH_MAX)
    .map((one): Hint => ({
      sort: "similar",
      id: one.id,
      number: one.number,
      title: one.title,
      about: undefined,
      text: undefined,
      ticketId: one.id,
      act: "link",
    }));
  return [...known, ...articles, ...similar].slice(0, SHOWN_MAX);
}
