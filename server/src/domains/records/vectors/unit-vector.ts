/** Unit vectors of any dimension: their cosine is the sum of the products. */

/**
 * The unit vector of the same direction; undefined for a zero vector or infinite numbers. Plain loops are eight
 * times faster than callbacks.
 */
export function toUnitVector(numbers: readonly number[]): Float32Array | undefined {
  // Scale first: the square of a large number overflows.
  let largest = 0;
  for (const one of numbers) largest = Math.max(largest, Math.abs(one));
  if (largest === 0 || !Number.isFinite(largest)) return undefined;
  let squares = 0;
  for (const one of numbers) squares += (one / largest) ** 2;
  const length = Math.sqrt(squares);
  const vector = new Float32Array(numbers.length);
  for (let at = 0; at < vector.length; at += 1) vector[at] = (numbers[at] ?? 0) / largest / length;
  return vector;
}

/** Decodes vectors that are stored consecutively. */
export function decodeVectors(bytes: Buffer): Float32Array {
  const vectors = new Float32Array(bytes.length / Float32Array.BYTES_PER_ELEMENT);
  for (let at = 0; at < vectors.length; at += 1) {
    vectors[at] = bytes.readFloatLE(at * Float32Array.BYTES_PER_ELEMENT);
  }
  return vectors;
}

/** The index of the nearest of several vectors. */
export function findNearest(
  query: Float32Array,
  vectors: Float32Array,
): { readonly score: number; readonly place: number } {
  let best = { score: Number.NEGATIVE_INFINITY, place: 0 };
  const count = Math.floor(vectors.length / query.length);
  for (let place = 0; place < count; place += 1) {
    let score = 0;
    const start = place * query.length;
    for (let at = 0; at < query.length; at += 1) {
      score += (query[at] ?? 0) * (vectors[start + at] ?? 0);
    }
    if (score > best.score) best = { score, place };
  }
  return best;
}
