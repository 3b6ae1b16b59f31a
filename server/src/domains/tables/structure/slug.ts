import { USERS } from "../columns/reference.ts";

const SLUG_CHARACTERS_MAX = 63;
/** What stands for people in references, and words of routes below a table's. */
const RESERVED = new Set([USERS, "bulk", "import", "export"]);

/** What is wrong with a slug that has the right form. */
export function faultOfSlug(slug: string): string | undefined {
  // PostgreSQL's own begin like this; and it calls a counter after its column, with this at the end.
  const isTheirs = slug.startsWith("pg_") || /_seq\d*$/.test(slug);
  return isTheirs || RESERVED.has(slug) ? "is reserved" : undefined;
}

/** The slug that a name gives; empty when it gives none. */
export function slugOf(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replace(/^[^a-z]+/, "")
    .slice(0, SLUG_CHARACTERS_MAX)
    .replace(/_+$/, "");
}
