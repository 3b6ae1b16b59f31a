/** The placeholders filled in for each ticket, and the editing of texts. */
export const PLACEHOLDERS = [
  ["caller.firstName", "First name of the caller"],
  ["caller.name", "Caller"],
  ["ticket.number", "Number"],
  ["ticket.title", "Title"],
  ["ticket.state", "State"],
  ["agent.firstName", "My first name"],
  ["agent.name", "My name"],
  ["team.name", "Team"],
] as const;

export function insertAt(text: string, at: number, part: string): string {
  return `${text.slice(0, at)}${part}${text.slice(at)}`;
}

const KEYWORD_MAX = 40;

/** Derives a keyword: lower-case letters, digits and hyphens. */
export function toKeyword(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-")
    .replace(/^[-_]+/, "")
    .slice(0, KEYWORD_MAX);
}
