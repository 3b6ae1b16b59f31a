/** A path as the address of ours that it means; null when it leads, or could lead, elsewhere. */
export function toLocalRedirect(path: string, origin: string): URL | null {
  const url = /^\/(?![/\\])/.test(path) ? URL.parse(path, origin) : null;
  if (!url || url.origin !== new URL(origin).origin) return null;
  // What `/a/..//b.example` comes to would be read as the name of a host.
  return url.pathname.startsWith("//") ? null : url;
}
