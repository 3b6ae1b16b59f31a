import { isDeepStrictEqual } from "node:util";
import { diffResource } from "#kernel/log/event.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { runAsOf } from "../run-as.ts";
import { KpiUpdated } from "./kpi.ts";
import { dataOf, referTo } from "./service.ts";
import * as store from "./store.ts";

/**
 * Gives the KPIs that show a report the rights of whoever changes it. With those of others, its author
 * could have them count what they may not see, by a report that they may write.
 */
export async function inheritReportAuthority(
  ctx: WriteContext<typeof KpiUpdated>,
  reportId: string,
): Promise<void> {
  const { runAs, permissions } = runAsOf(ctx.caller);
  for (const before of await store.lockThoseOf(ctx.tx, reportId)) {
    if (before.runAs === runAs && isDeepStrictEqual(before.permissions, permissions)) continue;
    const after = await store.update(ctx.tx, before.id, {
      run_as: runAs,
      permissions: permissions && [...permissions],
      updated_at: ctx.now,
    });
    ctx.emit(KpiUpdated, referTo(after), diffResource(dataOf(before), dataOf(after)));
  }
}
