/** Plain text with detected links. It is never interpreted as markup. */

export interface Piece {
  readonly sort: "text" | "link" | "ticket" | "mention";
  readonly text: string;
}

const LEADS =
  /(https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]])|\b((?:INC|REQ|PRB|CHG)\d{7,15})\b|(?<![\w@])(@\p{L}[\p{L}\d_-]*)/gu;

export function splitText(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const found of text.matchAll(LEADS)) {
    const [whole, link, ticket] = found;
    if (found.index > from) pieces.push({ sort: "text", text: text.slice(from, found.index) });
    pieces.push({ sort: link ? "link" : ticket ? "ticket" : "mention", text: whole });
    from = found.index + whole.length;
  }
  if (from < text.length) pieces.push({ sort: "text", text: text.slice(from) });
  return pieces;
}

const QUOTE_HEAD =
  /^(?:-{2,} ?(?:Original Message|Ursprüngliche Nachricht).*|On .{4,120} wrote:|Am .{4,120} schrieb.*:)$/i;

/** Splits a message into the author's text and the history that the e-mail program quoted. */
export function foldQuote(text: string): { readonly own: string; readonly quoted: string } {
  const lines = text.split("\n");
  const at = lines.findIndex((line, n) => isQuoteStart(line, lines.slice(n)));
  if (at <= 0) return { own: text, quoted: "" };
  return {
    own: lines.slice(0, at).join("\n").trimEnd(),
    quoted: lines.slice(at).join("\n").trim(),
  };
}

function isQuoteStart(line: string, rest: readonly string[]): boolean {
  if (QUOTE_HEAD.test(line.trim())) return true;
  return line.startsWith(">") && rest.every((one) => one.startsWith(">") || one.trim() === "");
}
