/** Measures a KPI at a point in time. */
import { partitionOfCaller } from "#kernel/access/caller.ts";
import { Failure, Internal, invalidField } from "#kernel/operation/failure.ts";
import { type ReportRequest } from "#kernel/contributions/report-source.ts";
import { reportClock } from "../reports/definition/period.ts";
import type { ReportCondition } from "../reports/sql/report-sql.ts";
import { type Definition, toDefinition, ReportBroken } from "../reports/report.ts";
import { checkReport, runReport, mapBrokenReport } from "../reports/run-report.ts";
import { sourceType } from "../reports/source.ts";
import { reportStore } from "../reports/store.ts";
import { isMet, type Kpi, type Measure, type Snapshot } from "./kpi.ts";

const UNIT_MS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;
const ERROR_CHARACTERS_MAX = 500;
const PRESENT_MS = 5_000;

/** The report definition of a measure. */
export async function definitionFor(
  { platform, caller }: ReportRequest,
  { reportId, aggregate }: Measure,
): Promise<Definition> {
  if (reportId !== null) {
    const report = await platform.db.read(partitionOfCaller(caller), (tx) =>
      reportStore.find(tx, reportId),
    );
    if (!report) throw invalidField("/reportId", "is not the id of a report");
    return report.definition;
  }
  if (!aggregate) throw invalidField("/aggregate", "is required without a reportId");
  const { source, filter, fn, field, p } = aggregate;
  return toDefinition({
    source,
    ...(filter && { filter }),
    aggregates: [
      { fn, as: "value", ...(field !== undefined && { field }), ...(p !== undefined && { p }) },
    ],
  });
}

/** Throws if it cannot be measured now. */
export async function checkMeasure(request: ReportRequest, measure: Measure): Promise<void> {
  const definition = await definitionFor(request, measure);
  await checkReport(request, definition, measuredSpan(request, measure, definition, new Date(0)));
}

/**
 * Returns whether a past time can be measured: exactly if the source or the log knows it, otherwise with a time
 * window.
 */
export function canBackfill({ platform }: ReportRequest, measure: Measure, definition: Definition) {
  const { exactPast, openAt } = sourceType(platform, definition.source);
  return measure.window !== null || exactPast || openAt !== undefined;
}

/** The rows included at a point in time: those of its window and, for the log, those until then. */
function measuredSpan(
  request: ReportRequest,
  measure: Measure,
  definition: Definition,
  at: Date,
): ReportCondition {
  if (!canBackfill(request, measure, definition)) return {};
  const { window } = measure;
  const from = window && new Date(at.getTime() - window.last * UNIT_MS[window.unit]);
  const field = window?.field;
  return { between: { field, from: from ?? undefined, to: at, at: "/window/field" } };
}

/** The first value of the first row. */
export async function measure(
  request: ReportRequest,
  what: Measure,
  definition: Definition,
  at: Date,
): Promise<number | null> {
  const span = measuredSpan(request, what, definition, at);
  const clock = { ...(await reportClock(request, definition.timezone)), now: at };
  // Tables have the present, the log has the past.
  const isPast = request.platform.clock.nowMs() - at.getTime() > PRESENT_MS;
  const then = isPast ? { ...request, asOf: at } : request;
  const { columns, rows } = await mapBrokenReport(() =>
    runReport(then, { ...definition, limit: 1 }, { ...span, clock }),
  );
  const column = columns.find(({ role }) => role === "value");
  const value = column && rows[0]?.[column.name];
  if (value === null || value === undefined) return null;
  const number = Number(value);
  if (!Number.isFinite(number)) {
    throw new Failure(ReportBroken, { detail: "The value of the KPI is not a number." });
  }
  return number;
}

/** Takes a snapshot. Stores failures that the user can fix; throws any others. */
export async function takeMeasurement(
  request: ReportRequest,
  kpi: Kpi & { readonly measure: Measure },
  at: Date,
): Promise<Snapshot> {
  const base = { at: at.toISOString(), target: kpi.target, backfilled: false };
  try {
    const definition = await definitionFor(request, kpi.measure);
    const value = await measure(request, kpi.measure, definition, at);
    return { ...base, value, met: isMet(value, kpi), error: null };
  } catch (error) {
    if (!(error instanceof Failure) || error.type.status >= Internal.status) throw error;
    const message = error.message.slice(0, ERROR_CHARACTERS_MAX);
    return { ...base, value: null, met: null, error: message };
  }
}
