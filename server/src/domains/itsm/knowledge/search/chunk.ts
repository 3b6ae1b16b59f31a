/**
 * An article in pieces that the model can take in as a whole: it reads some 200 words and overlooks the
 * rest. Each begins with the title, which says what the piece is about.
 */
const CHUNK_WORDS = 180;
/** A long manual would keep the model busy for minutes; by its first pieces it is found. */
const CHUNKS_MAX = 40;

/** The pieces of a text; there is always one. */
export function piecesOf(plain: string): readonly string[] {
  const words = plain.split(/\s+/).filter((word) => word !== "");
  const pieces: string[] = [];
  for (let at = 0; at < words.length && pieces.length < CHUNKS_MAX; at += CHUNK_WORDS) {
    pieces.push(words.slice(at, at + CHUNK_WORDS).join(" "));
  }
  return pieces.length === 0 ? [""] : pieces;
}

/** What is embedded of an article. */
export function chunksOf(title: string, plain: string): readonly string[] {
  return piecesOf(plain).map((piece) => `${title}. ${piece}`);
}
