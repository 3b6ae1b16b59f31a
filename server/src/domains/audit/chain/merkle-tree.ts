/** Merkle trees by RFC 6962: leaves and nodes are hashed with different prefixes, so that they cannot be confused. */
import { createHash } from "node:crypto";

export const HASH_BYTES = 32;
const LEAF_PREFIX = Buffer.of(0);
const NODE_PREFIX = Buffer.of(1);

export function hashLeaf(content: string): Buffer {
  return createHash("sha256").update(LEAF_PREFIX).update(content).digest();
}

function hashNode(left: Buffer, right: Buffer): Buffer {
  return createHash("sha256").update(NODE_PREFIX).update(left).update(right).digest();
}

/** The root of a tree over at least one leaf. */
export function rootOf(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves;
  if (!first) throw new Error("A tree has a leaf.");
  if (leaves.length === 1) return first;
  const middle = splitOf(leaves.length);
  return hashNode(rootOf(leaves.slice(0, middle)), rootOf(leaves.slice(middle)));
}

/** The sibling hashes on the path from a leaf to the root, bottom-up. */
export function buildPath(leaves: readonly Buffer[], index: number): Buffer[] {
  if (leaves.length <= 1) return [];
  const middle = splitOf(leaves.length);
  return index < middle
    ? [...buildPath(leaves.slice(0, middle), index), rootOf(leaves.slice(middle))]
    : [...buildPath(leaves.slice(middle), index - middle), rootOf(leaves.slice(0, middle))];
}

/** The largest power of two below a number of leaves. */
function splitOf(size: number): number {
  return 2 ** (Math.ceil(Math.log2(size)) - 1);
}

/** Splits concatenated leaf hashes. */
export function splitLeaves(stored: Buffer): Buffer[] {
  return Array.from({ length: stored.length / HASH_BYTES }, (_, index) =>
    stored.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES),
  );
}
