/** The URL of a local path. Returns null if it leads or could lead to another host (open redirect). */
export function toLocalRedirect(path: string, origin: string): URL | null {
  const url = /^\/(?![/\\])/.test(path) ? URL.parse(path, origin) : null;
  if (!url || url.origin !== new URL(origin).origin) return null;
  // `/a/..//b.example` resolves to a path that browsers read as a host name.
  return url.pathname.startsWith("//") ? null : url;
}
