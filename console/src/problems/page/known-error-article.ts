/** The first draft of an article about a known error. */

interface Known {
  readonly number: string;
  readonly title: string;
  readonly description: string;
  readonly rootCause: string | null;
  readonly workaround: string | null;
}

const SUMMARY_MAX = 200;

/** The article is found again by its tag, the problem's number. */
export function toArticle({ number, title, description, rootCause, workaround }: Known) {
  const parts = [
    ["Symptoms", description],
    ["Cause", rootCause ?? ""],
    ["Workaround", workaround ?? ""],
  ] as const;
  const body = parts
    .filter(([, text]) => text.trim() !== "")
    .map(([heading, text]) => `## ${heading}\n\n${text.trim()}\n`)
    .join("\n");
  const summary = (workaround ?? "").trim().replaceAll(/\s+/g, " ").slice(0, SUMMARY_MAX);
  return { title, body, summary, tags: ["known-error", number.toLowerCase()] };
}
