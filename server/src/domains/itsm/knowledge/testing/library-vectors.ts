/**
 * Precomputed vectors of the library's articles, because computing them takes the model up to half a minute. The file
 * stores a byte per number and the hash of the texts. After a change of a text or the model, run `node
 * server/src/domains/itsm/knowledge/testing/library-vectors.ts` to update it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { sha256 } from "#kernel/access/crypto.ts";
import { Embeddings } from "#kernel/embedding/embeddings.ts";
import { DIMENSIONS, MODEL } from "#kernel/embedding/vector.ts";
import { titledChunks } from "#kernel/embedding/chunk.ts";
import { loadMarkdown } from "../markdown/markdown.ts";
import { LIBRARY, type Shelved } from "./library.ts";

const FILE = new URL("./library-vectors.json", import.meta.url);
const BYTE_MAX = 127;

interface Kept {
  readonly model: string;
  readonly texts: string;
  readonly vectors: string;
}

/** The text that the product embeds for an article. Each library article has one chunk. */
export async function textOf({ title, body }: Shelved): Promise<string> {
  const { toPlainText: plainOf } = await loadMarkdown();
  return titledChunks(title, plainOf(body)).join("\n");
}

/** The stored vectors in library order, if their hash matches the texts. */
export async function libraryVectors(): Promise<readonly Float32Array[]> {
  const { model, texts, vectors } = JSON.parse(readFileSync(FILE, "utf8")) as Kept;
  if (model !== MODEL || texts !== hashOf(await allTexts())) {
    throw new Error("The library has changed since its vectors were made.");
  }
  const numbers = new Int8Array(Buffer.from(vectors, "base64"));
  return LIBRARY.map((_, index) =>
    ofLength1(numbers.subarray(index * DIMENSIONS, (index + 1) * DIMENSIONS)),
  );
}

function allTexts(): Promise<readonly string[]> {
  return Promise.all(LIBRARY.map(textOf));
}

function hashOf(texts: readonly string[]): string {
  return sha256(JSON.stringify(texts)).toString("hex");
}

function ofLength1(numbers: Int8Array): Float32Array {
  const length = Math.hypot(...numbers);
  return Float32Array.from(numbers, (number) => number / length);
}

function inBytes(vector: Float32Array): Buffer {
  const most = Math.max(...vector.map(Math.abs));
  return Buffer.from(vector.map((number) => Math.round((number / most) * BYTE_MAX)));
}

if (import.meta.main) {
  const embeddings = new Embeddings();
  const texts = await allTexts();
  const rows: Buffer[] = [];
  for (const text of texts) rows.push(inBytes(await embeddings.embed("library", text)));
  await embeddings.close();
  const vectors = Buffer.concat(rows).toString("base64");
  const kept: Kept = { model: MODEL, texts: hashOf(texts), vectors };
  writeFileSync(FILE, `${JSON.stringify(kept, undefined, 2)}\n`);
}
