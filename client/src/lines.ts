/** Reads the route, permission and events of each operation, as `describe-groups.ts` writes them. */

export const API_PATH = "/api/v1/";
/** No permission, or no events. */
export const NONE = "-";
/** As declared for the group. */
export const SAME = ".";

/** Returns `POST /api/v1/itsm/incidents/{id}/resolve incidents:resolve incident`, by operation id. */
export const toLines = (
  groups: Readonly<Record<string, readonly string[]>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(groups).flatMap(([group, [shared = "", ...operations]]) =>
      operations.map((one) => expand(group, shared, one)),
    ),
  );

function expand(group: string, shared: string, line: string): readonly [id: string, line: string] {
  const [at = "", read = "", write = "", events = ""] = shared.split(" ");
  const [action = "", where = "", permission = SAME, kinds = SAME] = line.split(" ");
  const [, method = "", path = ""] = /^([A-Z]+)(.*)$/.exec(where) ?? [];
  const isRead = method === "GET";
  const parts = [
    method,
    path.startsWith("=")
      ? path.slice(1)
      : `${at.startsWith("/") ? "" : API_PATH}${at}${path.replace("*", action.replaceAll("_", "-"))}`,
    permission === SAME ? (isRead ? read : write) : permission,
    kinds === SAME ? (isRead ? NONE : events) : kinds,
  ];
  const isQuiet = parts.at(-1) === NONE;
  return [`${group}.${action}`, (isQuiet ? parts.slice(0, -1) : parts).join(" ")];
}
