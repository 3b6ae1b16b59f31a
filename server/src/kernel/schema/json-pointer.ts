/** A JSON pointer (RFC 6901) to the member of this name below `path`. */
export function jsonPointer(path: string, name: string): string {
  return `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The segments of a JSON pointer. */
export function pointerSegments(path: string): readonly string[] {
  return path
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}
