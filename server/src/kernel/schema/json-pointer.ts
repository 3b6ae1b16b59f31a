/** A JSON pointer (RFC 6901) to what stands below `path` by this name. */
export function jsonPointer(path: string, name: string): string {
  return `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The names that lead to what a JSON pointer is of. */
export function pointerSegments(path: string): readonly string[] {
  return path
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}
