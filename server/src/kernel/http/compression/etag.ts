/**
 * True if `If-None-Match` contains this entity tag (RFC 9110, 13.1.2): `*` or a list of tags. Weak tags match
 * too, because a compressing proxy makes tags weak.
 */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag || header.trim() === "*") return true;
  const opaque = etag.replace(WEAK, "");
  return header.match(TAGS)?.some((tag) => tag === opaque) ?? false;
}

/** A weak entity tag: the same content in other bytes. */
export function weaken(etag: string): string {
  return WEAK.test(etag) ? etag : `W/${etag}`;
}

const WEAK = /^W\//;
const TAGS = /"[^"]*"/g;
