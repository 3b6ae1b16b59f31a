/** Formats a request as a curl command without credentials. */
import { BASE_PATH, place } from "./place.ts";

type Value = string | number | boolean | undefined;

export function toCurl(path: string, query: Readonly<Record<string, Value>> = {}): string {
  const known = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  const search = known.length === 0 ? "" : `?${known.join("&")}`;
  return [
    "curl",
    `  -H "Authorization: Bearer $MILLRACE_TOKEN"`,
    `  -H "X-Workspace: ${place.workspace ?? ""}"`,
    `  -H "X-Environment: ${place.environment}"`,
    `  "${location.origin}${BASE_PATH}${path}${search}"`,
  ].join(" \\\n");
}
