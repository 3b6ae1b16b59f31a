/** What a request becomes for the script that handles it, and what is kept of that. */
import type { RawRequest } from "#kernel/access/caller.ts";
import { parseAny } from "#kernel/http/request-body.ts";
import type { Execution } from "../execution/execution.ts";

/** Our own credentials, which a script has no business with: sessions, tokens. */
const OURS = /^bearer\s+mr[a-z]?_/i;
/** What lets its sender in somewhere: the script may look at it, but it is not kept. */
const CREDENTIALS: readonly string[] = ["authorization", "proxy-authorization"];
const MASK = "[hidden]";

/** The input of the script. `rawBody` is the text whose bytes were sent, for signatures. */
export function inputOf({ bytes, mediaType, headers, query }: RawRequest) {
  const shown = Object.entries(headers).filter(
    ([name, value]) => name !== "cookie" && !(CREDENTIALS.includes(name) && OURS.test(value)),
  );
  return {
    body: parseAny(bytes, mediaType),
    rawBody: bytes.toString("utf8"),
    headers: Object.fromEntries(shown),
    query,
    method: "POST",
  };
}

/** An execution without the credentials that came in. */
export function withoutCredentials(execution: Execution): Execution {
  const { current } = execution.outcome;
  const headers: unknown = Object(current)["headers"];
  if (typeof headers !== "object" || headers === null) return execution;
  const masked = Object.entries(headers).map(([name, value]: [string, unknown]) => [
    name,
    CREDENTIALS.includes(name) ? MASK : value,
  ]);
  const kept = { ...Object(current), headers: Object.fromEntries(masked) };
  return { ...execution, outcome: { ...execution.outcome, current: kept } };
}
