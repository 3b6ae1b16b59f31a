import type { RandomAccess } from "../source/zip.ts";

const PART_BYTES = 50_001;

/** An in-memory file with random access. */
export function fileOf(bytes: Buffer): RandomAccess {
  return {
    size: bytes.length,
    async *read({ from, to } = { from: 0, to: bytes.length }) {
      for (let at = from; at < to; at += PART_BYTES)
        yield bytes.subarray(at, Math.min(to, at + PART_BYTES));
    },
  };
}
