import { invalid } from "#kernel/operation/failure.ts";
import { positionOf, toEnvelope } from "#kernel/log/event.ts";
import { queryLog } from "#kernel/log/event-log.ts";
import type { ReadContext } from "#kernel/operation/operation.ts";
import { pageOf } from "#kernel/operation/pagination.ts";
import type { Page } from "#kernel/operation/response.ts";
import * as store from "./store.ts";

/** What happened to an item, newest first, also when it is no longer there. */
export async function historyOf(
  { tx }: ReadContext,
  id: string,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<Page<ReturnType<typeof toEnvelope>>> {
  const before = after === undefined ? undefined : positionOf(after);
  if (after !== undefined && !before) throw invalid("?after", "is not a cursor of this list");
  const filter = { resourceType: "cmdb_item", resourceId: id, before };
  const found = await queryLog(tx, filter, limit + 1);
  // The log may have forgotten one that is there, and never heard of one that is not.
  if (found.length === 0 && after === undefined) await store.get(tx, id);
  return pageOf(found, limit, toEnvelope, (event) => event.id);
}
