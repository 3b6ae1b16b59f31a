import { sha256 } from "#kernel/access/crypto.ts";

/** The same for the same JSON, in whatever order its members stand. */
export function checksumOf(value: unknown): string {
  return sha256(JSON.stringify(ordered(value))).toString("hex");
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    members
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, ordered(member)]),
  );
}
