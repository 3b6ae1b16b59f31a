/** Splits long texts into chunks. */

/** Where a chunk may end, best positions first: between paragraphs, lines, sentences, words. */
const ENDS = ["\n\n", "\n", ". ", " "] as const;

/**
 * Splits a text into chunks with a maximum length. A chunk ends between paragraphs, lines, sentences or words if
 * its second half contains such a boundary, and starts before the end of the previous one by the overlap.
 */
export function cutText(
  text: string,
  { characters, overlap }: { readonly characters: number; readonly overlap: number },
): readonly string[] {
  const chunks: string[] = [];
  let from = 0;
  while (text.length - from > characters) {
    const to = findEnd(text, from, from + characters);
    chunks.push(text.slice(from, to));
    // The overlap never moves a chunk back to the start of the previous one.
    from = Math.max(to - overlap, from + Math.ceil(characters / 2));
    if (isLowSurrogate(text.charCodeAt(from))) from -= 1;
  }
  return [...chunks, text.slice(from)];
}

function findEnd(text: string, from: number, to: number): number {
  const half = from + Math.ceil((to - from) / 2);
  // Searches only the second half: searching the entire text for each chunk would be quadratic.
  const places = text.slice(half, to);
  for (const end of ENDS) {
    const at = places.lastIndexOf(end);
    if (at >= 0) return half + at + end.length;
  }
  // A character of two halves stays whole.
  return isLowSurrogate(text.charCodeAt(to)) ? to - 1 : to;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
