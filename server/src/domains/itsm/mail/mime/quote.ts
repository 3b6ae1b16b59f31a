/**
 * Separates new text from quoted text. Mail clients mark quotes in about twenty ways and many languages, so this
 * detects structures instead of wordings: an introduction followed by quoted lines, a header block, or a separator
 * line with words. In doubt the text stays visible.
 */
import { QUOTE_MARK } from "./html-text.ts";

export interface FoldedText {
  readonly visible: string;
  readonly quoted: string;
}

const LINES_MAX = 20_000;

/** `-----Original Message-----` and similar lines. */
const RULER =
  /^\s*[-_]{2,}\s*(original(\s|-)?message|ursprüngliche nachricht|message d'origine|mensaje original|messaggio originale|oorspronkelijk bericht|oprindelig meddelelse|mensagem original|元のメッセージ|original appointment|weitergeleitete nachricht|forwarded message)\s*[-_]{2,}\s*$/i;
/** `On Monday … wrote:`, in common languages. */
const INTRODUCTION =
  /(wrote|writes|schrieb(\s.{1,150})?|a écrit|escribió|ha scritto|schreef(\s.{1,150})?|escreveu|skrev(\s.{1,150})?|napisał(\(a\))?|написал\(?а?\)?|kirjoitti|のメール|写道|작성)\s*[:：]\s*$/i;
const HEADER_FIRST =
  /^[*_]{0,2}(from|von|de|da|van|fra|från|od|от|差出人|发件人|보낸 사람)\s*[:：][*_]{0,2}\s*\S/i;
const HEADER_NEXT =
  /^[*_]{0,2}(sent|date|gesendet|datum|envoyé|enviado(\sel)?|inviato|verzonden|sendt|skickat|wysłano|to|an|à|para|a|aan|til|subject|betreff|objet|asunto|oggetto|onderwerp|emne|cc|送信日時|日時|宛先|件名)\s*[:：]/i;
const SIGNATURE = /^-- ?$/;
const MOBILE =
  /^(sent from my \S.{0,40}|von meinem \S.{0,30} gesendet|envoyé de mon \S.{0,30}|get outlook for \S.{0,60})$/i;

/** Folds a text at its first quote, and its signature. */
export function foldQuotes(text: string): FoldedText {
  const lines = text.replaceAll(/\r\n?/g, "\n").split("\n");
  if (lines.length > LINES_MAX) return { visible: text, quoted: "" };
  const at = lines.findIndex((_, index) => beginsQuote(lines, index));
  const cut = at < 0 ? trailingQuote(lines) : at;
  const end = signatureBefore(lines, cut);
  const visible = lines.slice(0, end).join("\n").replaceAll(QUOTE_MARK, "").trim();
  const quoted = lines.slice(end).join("\n").replaceAll(QUOTE_MARK, "").trim();
  // Replies between quoted lines, and pure forwards, have no text above the quote.
  return visible === "" ? { visible: quoted, quoted: "" } : { visible, quoted };
}

function beginsQuote(lines: readonly string[], index: number): boolean {
  const line = (lines[index] ?? "").trim();
  if (line === QUOTE_MARK) return index > 0 || lines.length > 1;
  if (line === "" || line.length > 400) return false;
  if (RULER.test(line)) return true;
  if (beginsHeader(lines, index)) return true;
  return introduces(lines, index);
}

/** Outlook and many phones quote a mail below a header block. */
function beginsHeader(lines: readonly string[], index: number): boolean {
  const line = (lines[index] ?? "").trim();
  const isRule = /^_{10,}$/.test(line);
  const first = isRule ? index + 1 : index;
  const block = lines
    .slice(first, first + 8)
    .map((each) => each.trim())
    .filter(Boolean);
  return (
    HEADER_FIRST.test(block[0] ?? "") &&
    block.slice(1, 5).filter((one) => HEADER_NEXT.test(one)).length >= 2
  );
}

/** An introduction can span three lines. It precedes quoted lines, or contains known words. */
function introduces(lines: readonly string[], index: number): boolean {
  const line = (lines[index] ?? "").trim();
  if (line.startsWith(">")) return false;
  for (const count of [1, 2, 3]) {
    const part = lines.slice(index, index + count).map((each) => each.trim());
    if (part.includes("")) return false;
    const joined = part.join(" ");
    if (!/[:：]$/.test(joined)) continue;
    const below = lines.slice(index + count, index + count + 3);
    const next = below.find((each) => each.trim() !== "") ?? "";
    const isQuoted = next.startsWith(">") || next.trim() === QUOTE_MARK;
    const namesSomebody = /[@<]|\d{1,2}[:.h]\d{2}|\d{4}/.test(joined);
    return (isQuoted && namesSomebody) || (INTRODUCTION.test(joined) && namesSomebody);
  }
  return false;
}

/** Returns the start of the quoted lines at the end, or the text length. */
function trailingQuote(lines: readonly string[]): number {
  let at = lines.length;
  let quotes = 0;
  while (at > 0) {
    const line = lines[at - 1] ?? "";
    if (line.startsWith(">")) quotes += 1;
    else if (line.trim() !== "") break;
    at -= 1;
  }
  return quotes >= 2 ? at : lines.length;
}

function signatureBefore(lines: readonly string[], cut: number): number {
  for (let at = 0; at < cut; at += 1) {
    const line = lines[at] ?? "";
    if (SIGNATURE.test(line) || MOBILE.test(line.trim())) return at;
  }
  return cut;
}
