/** Splits a text into chunks for the embedding model, which reads about 200 words and ignores the rest. */
const CHUNK_WORDS = 180;
/** A long manual would occupy the model for minutes, and its first chunks are enough to find it. */
const CHUNKS_MAX = 40;

/** Splits a text into at least one chunk. */
export function splitChunks(plain: string): readonly string[] {
  const words = plain.split(/\s+/).filter((word) => word !== "");
  const chunks: string[] = [];
  for (let at = 0; at < words.length && chunks.length < CHUNKS_MAX; at += CHUNK_WORDS) {
    chunks.push(words.slice(at, at + CHUNK_WORDS).join(" "));
  }
  return chunks.length === 0 ? [""] : chunks;
}

/** The chunks of a text, each prefixed with the title for context. */
export function titledChunks(title: string, plain: string): readonly string[] {
  return splitChunks(plain).map((chunk) => `${title}. ${chunk}`);
}
