/** Acknowledges a page, which stops its escalation. Used by all channels. */
import type { WriteContext } from "#kernel/contract.ts";
import { PageAcknowledged, type StoredPage } from "./page.ts";
import { emitPage } from "./send-page.ts";
import { savePage } from "./store.ts";

/** True if the page is not acknowledged and its ticket is open. */
export const isUnanswered = ({ state }: Pick<StoredPage, "state">): boolean =>
  state === "paging" || state === "exhausted";

/** Acknowledges a locked page for a member. */
export async function acknowledge(
  ctx: WriteContext<typeof PageAcknowledged>,
  page: StoredPage,
  userId: string,
): Promise<StoredPage> {
  const saved = await savePage(ctx, {
    ...page,
    state: "acknowledged",
    nextAt: null,
    acknowledgedBy: userId,
    acknowledgedAt: ctx.now.toISOString(),
  });
  emitPage(ctx, PageAcknowledged, saved);
  return saved;
}
