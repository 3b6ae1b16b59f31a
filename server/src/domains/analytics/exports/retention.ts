import Type from "typebox";
import { newCorrelationId } from "#kernel/log/causal-chain.ts";
import { runAsSystem } from "#kernel/operation/act.ts";
import type { Platform } from "#kernel/contract.ts";
import type { EnvironmentName } from "#kernel/db/partition.ts";
import { job } from "#kernel/work/job.ts";
import { ExportExpired, exportRef, toExportData } from "./export.ts";
import * as store from "./store.ts";

const EVERY_MS = 600_000;
const CHUNKS_MAX = 100;
const EXPORTS_MAX = 50;

/** Deletes the chunks of files that can no longer be downloaded. */
const REMOVE_CHUNKS = `
  delete from export_chunks c
   where (c.export_id, c.no) in (
           select d.export_id, d.no from exports e join export_chunks d on d.export_id = e.id
            where e.expires_at <= $1 or e.status in ('failed', 'cancelled')
            limit ${CHUNKS_MAX})
  returning c.no`;

const EXPIRED = `
  select e.id, e.workspace_id, e.environment from exports e
   where e.expires_at <= $1 and not exists (select from export_chunks c where c.export_id = e.id)
   order by e.expires_at limit ${EXPORTS_MAX}`;

interface Expired {
  readonly id: string;
  readonly workspace_id: string;
  readonly environment: EnvironmentName;
}

/** Deletes expired exports in small steps: first their chunks, then their rows. */
export const pruneExports = job({
  kind: "analytics.prune_exports",
  payload: Type.Object({}),
  everyMs: EVERY_MS,
  async effect(platform) {
    const now = platform.clock.now();
    const removed = await platform.db.system(REMOVE_CHUNKS, [now]);
    const expired = await platform.db.system<Expired & Record<string, unknown>>(EXPIRED, [now]);
    for (const one of expired) await removeExport(platform, one);
    return removed.length === CHUNKS_MAX || expired.length === EXPORTS_MAX;
  },
  run: async (_ctx, _payload, isMore) => (isMore ? "again" : undefined),
});

async function removeExport(platform: Platform, expired: Expired): Promise<void> {
  const { id, workspace_id: workspace, environment } = expired;
  const cause = { correlationId: newCorrelationId(platform.clock), depth: 1 };
  await runAsSystem(platform, { workspace, environment }, cause, async (ctx) => {
    const gone = await store.remove(ctx.tx, id);
    if (gone) ctx.emit(ExportExpired, exportRef(gone), toExportData(gone));
  });
}
