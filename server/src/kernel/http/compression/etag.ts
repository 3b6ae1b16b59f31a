/**
 * True when an `If-None-Match` names this entity tag (RFC 9110, 13.1.2): `*`, or a list of tags, of which weak ones
 * match too, since a proxy that compresses makes them weak.
 */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag || header.trim() === "*") return true;
  const opaque = etag.replace(WEAK, "");
  return header.match(TAGS)?.some((tag) => tag === opaque) ?? false;
}

/** The entity tag as a weak one: of the same content, in other bytes. */
export function weaken(etag: string): string {
  return WEAK.test(etag) ? etag : `W/${etag}`;
}

const WEAK = /^W\//;
const TAGS = /"[^"]*"/g;
