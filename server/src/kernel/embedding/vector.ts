/** The model. Vectors of different models can't be compared, so each is stored with this name. */
export const MODEL = "minilm-l6-v2";
/** The length of a vector. */
export const DIMENSIONS = 384;

const NUMBER_BYTES = 4;

/** The storage format of a vector: float32, little endian. */
export function encodeVector(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * NUMBER_BYTES);
  for (let index = 0; index < vector.length; index += 1) {
    bytes.writeFloatLE(vector[index] ?? 0, index * NUMBER_BYTES);
  }
  return bytes;
}

/** Decodes a stored vector into a longer array at a given position. */
export function decodeVector(target: Float32Array, place: number, bytes: Buffer): void {
  for (let index = 0; index < DIMENSIONS; index += 1) {
    target[place + index] = bytes.readFloatLE(index * NUMBER_BYTES);
  }
}

/** The similarity of two texts by their vectors of length 1: their cosine. */
export function cosineSimilarity(question: Float32Array, vectors: Float32Array, place = 0): number {
  let sum = 0;
  for (let index = 0; index < DIMENSIONS; index += 1) {
    sum += (question[index] ?? 0) * (vectors[place + index] ?? 0);
  }
  return sum;
}
