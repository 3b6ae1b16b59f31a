import { isDeepStrictEqual } from "node:util";
import { diffResource } from "#kernel/log/event.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { authorityOf } from "#domains/identity/accounts/index.ts";
import { kpiRef } from "./kpi.ts";
import { kpis } from "./resource.ts";

/**
 * Gives the KPIs of a report the rights of the member who changes it. With the rights of others, the member could
 * make them count data that they may not see, through a report that they may edit.
 */
export async function inheritReportAuthority(
  ctx: WriteContext<typeof kpis.events.updated>,
  reportId: string,
): Promise<void> {
  const { runAs, permissions } = authorityOf(ctx.caller);
  const condition = "measure ->> 'reportId' = $1 order by id for update";
  for (const before of await kpis.store.select(ctx.tx, condition, [reportId])) {
    if (before.runAs === runAs && isDeepStrictEqual(before.permissions, permissions)) continue;
    const after = await kpis.store.update(ctx.tx, before.id, {
      runAs,
      permissions: permissions && [...permissions],
      updatedAt: ctx.now.toISOString(),
    });
    const data = diffResource(kpis.eventData(before), kpis.eventData(after));
    ctx.emit(kpis.events.updated, kpiRef(after), data);
  }
}
