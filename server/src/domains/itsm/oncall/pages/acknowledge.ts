/** Acknowledging a page: it stops the escalation, whichever way the person says so. */
import type { WriteContext } from "#kernel/contract.ts";
import { PageAcknowledged, type StoredPage } from "./page.ts";
import { emitPage } from "./send-page.ts";
import { savePage } from "./store.ts";

/** True while an acknowledgement changes something: nobody has acknowledged, and the ticket is open. */
export const isUnanswered = ({ state }: Pick<StoredPage, "state">): boolean =>
  state === "paging" || state === "exhausted";

/** Acknowledges a locked page in the name of a member. */
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
