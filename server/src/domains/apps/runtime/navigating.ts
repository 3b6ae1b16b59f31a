import { Failure, failure } from "#kernel/operation/failure.ts";
import { localUrl } from "#kernel/access/local-redirect.ts";
import { normalPath } from "../definition/app.ts";
import type { Visit } from "./app-session.ts";

const NoSuchPlace = failure("no_such_place", 422, "This leads nowhere within this installation.");

/** Where a `navigate` leads: a page of the app, or a path of ours. Whatever its bindings gave, never elsewhere. */
export function destinationOf(
  { served, embed, caller, pathTo }: Visit,
  { page, path, params }: Readonly<Record<string, unknown>>,
): string {
  const query = textsOf(params);
  if (typeof page === "string") {
    const at = normalPath(page);
    const found = served.snapshot.pages.find((one) => one.path === at);
    const alone = embed !== undefined && embed.pageId !== null;
    if (!found || (alone && found.id !== embed.pageId)) throw new Failure(NoSuchPlace);
    return pathTo(at, query);
  }
  // A frame stays with the app that it shows.
  if (typeof path !== "string" || embed) throw new Failure(NoSuchPlace);
  const url = localUrl(path, caller.origin);
  if (!url) throw new Failure(NoSuchPlace);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.pathname + url.search + url.hash;
}

/** What has no value is left out. */
function textsOf(params: unknown): Record<string, string> {
  const pairs = Object.entries(Object(params) as Record<string, unknown>);
  return Object.fromEntries(
    pairs
      .filter(([, value]) => value !== undefined && value !== null && typeof value !== "object")
      .map(([name, value]) => [name, String(value as string | number | boolean)]),
  );
}
