/** Texts that are too long to be asked about at once, in chunks. */

/** Where a chunk may end, the better places first: between paragraphs, lines, sentences, words. */
const ENDS = ["\n\n", "\n", ". ", " "] as const;

/**
 * Cuts a text into chunks of at most so many characters. A chunk ends between paragraphs, lines, sentences or words
 * where it finds one of these in its second half, and begins so many characters before the end of the one before it.
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
    // An overlap never takes a chunk back to where the last one began.
    from = Math.max(to - overlap, from + Math.ceil(characters / 2));
    if (isLowSurrogate(text.charCodeAt(from))) from -= 1;
  }
  return [...chunks, text.slice(from)];
}

function findEnd(text: string, from: number, to: number): number {
  const half = from + Math.ceil((to - from) / 2);
  // Only there: to look through all of the text for each chunk would take the square of its length.
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
