import type { Platform, WriteContext } from "#kernel/contract.ts";
import { authorOf, type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import { Failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { authorityOf } from "#domains/identity/accounts/index.ts";
import { reportClock } from "../reports/definition/period.ts";
import { rowListing } from "../reports/sql/report-rows.ts";
import { checkReport, mapBrokenReport, withSource } from "../reports/run-report.ts";
import { reportStore } from "../reports/store.ts";
import {
  type Content,
  ExportCancelled,
  ExportRequested,
  expiresAt,
  exportRef,
  toExportData,
  type Export,
  ExportOver,
  EXPORTS_OPEN_MAX,
  type NewExport,
  canSeeAll,
  TooManyExports,
} from "./export.ts";
import * as store from "./store.ts";
import { writeExport } from "./write-export.ts";

/** Checks the content of an export as if it were read. */
export async function checkContent(
  platform: Platform,
  { reportId, source, filter, fields }: NewExport,
  caller: Caller,
): Promise<Content> {
  if ((reportId === undefined) === (source === undefined)) {
    throw invalidField("/source", "is required, or a reportId");
  }
  if (reportId !== undefined) {
    if (filter ?? fields)
      throw invalidField("/reportId", "can't be combined with filter or fields");
    const report = await platform.db.read(partitionOfCaller(caller), (tx) =>
      reportStore.find(tx, reportId),
    );
    if (!report) throw invalidField("/reportId", "is not the id of a report");
    await mapBrokenReport(() => checkReport({ platform, caller }, report.definition));
    return { kind: "report", reportId, definition: report.definition };
  }
  if (!source) throw invalidField("/source", "is required");
  const clock = await reportClock({ platform, caller }, undefined);
  return withSource({ platform, caller }, source, async (open, parameters) => {
    const listing = rowListing(
      open,
      { filter: filter ?? null, fields: fields ?? null },
      { parameters, clock },
    );
    const columns = listing.fields.map(({ name, kind }) => ({ name, kind }));
    return { kind: "rows", source, filter: filter ?? null, columns };
  });
}

export async function requestExport(
  ctx: WriteContext<typeof ExportRequested>,
  { name, format = "csv" }: NewExport,
  content: Content,
): Promise<Export> {
  if ((await store.countOpen(ctx.tx)) >= EXPORTS_OPEN_MAX) throw new Failure(TooManyExports);
  const { runAs, permissions } = authorityOf(ctx.caller);
  const stored = await store.insert(ctx.tx, {
    id: newId("exp", ctx.now.getTime()),
    name: name ?? (content.kind === "report" ? content.reportId : content.source.kind),
    content: JSON.stringify(content),
    format,
    status: "queued",
    run_as: runAs,
    permissions: permissions && [...permissions],
    created_by: authorOf(ctx.caller),
    created_at: ctx.now,
    expires_at: expiresAt(ctx.now),
  });
  ctx.enqueue(
    writeExport,
    { ...partitionOfCaller(ctx.caller), exportId: stored.id },
    { key: stored.id },
  );
  ctx.emit(ExportRequested, exportRef(stored), toExportData(stored));
  return stored;
}

export async function cancelExport(
  ctx: WriteContext<typeof ExportCancelled>,
  id: string,
): Promise<void> {
  const stored = await store.get(ctx.tx, id, visibleOwner(ctx.caller), { lock: true });
  ctx.expectRevision(stored.revision);
  const end = { status: "cancelled", at: ctx.now, expiresAt: expiresAt(ctx.now) } as const;
  const cancelled = await store.finish(ctx.tx, id, end);
  if (!cancelled) throw new Failure(ExportOver);
  ctx.emit(ExportCancelled, exportRef(cancelled), toExportData(cancelled));
}

/** The person whose exports a caller sees; undefined for all. */
export function visibleOwner(caller: Caller): string | undefined {
  if (canSeeAll(caller)) return undefined;
  if (!caller.principal) throw new Failure(NotFound);
  return caller.principal.id;
}
