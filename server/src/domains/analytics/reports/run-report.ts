import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { RelativeClock } from "#kernel/condition/relative-time.ts";
import { sqlStateOf, StaleRead } from "#kernel/db/errors.ts";
import { SqlParameters, type SqlRow } from "#kernel/db/statement.ts";
import { Failure, Invalid, invalidField } from "#kernel/operation/failure.ts";
import { FairShare } from "#kernel/work/fair-share.ts";
import { mapInTurns } from "#kernel/work/turn-timer.ts";
import { type OpenReportSource, type ReportRequest } from "#kernel/contributions/report-source.ts";
import { beforeName, definitionBefore, mergeBefore } from "./compare.ts";
import { limitCells, REPORT_CELLS_MAX } from "./definition/cell-limit.ts";
import { reportClock, type Span, spanBefore } from "./definition/period.ts";
import { BUCKET } from "./sql/column.ts";
import type { Column } from "./sql/report-column.ts";
import type { SqlContext } from "./sql/field.ts";
import { fillTimeGaps } from "./sql/fill-gaps.ts";
import { funnelSql } from "./sql/funnel-sql.ts";
import {
  type ReportCondition,
  compileReport,
  periodField,
  resolveSpan,
  splitBar,
  toReportRow,
  whereSql,
} from "./sql/report-sql.ts";
import { compileTotals } from "./sql/totals-sql.ts";
import {
  type Definition,
  ReportBroken,
  type ReportResult,
  ReportTimedOut,
  ROWS_MAX,
  type Source,
} from "./report.ts";
import { openSource } from "./source.ts";

/** The number of report statements that a process runs in parallel. */
const STATEMENTS_AT_ONCE_MAX = 4;

const CANCELLED = "57014";
const BAD_VALUE = "22023";

/** Runs a report with the caller's rights. */
export async function runReport(
  request: ReportRequest,
  asked: Definition,
  narrowing: ReportCondition = {},
): Promise<ReportResult> {
  const from = performance.now();
  const definition = limitCells(asked, REPORT_CELLS_MAX);
  const clock = narrowing.clock ?? (await readReportClock(request, definition, narrowing));
  const seen = { ...narrowing, clock };
  const span = resolveSpan(definition, seen, clock);
  const result = definition.funnel
    ? await runFunnel(request, definition, seen)
    : await runGroups(request, definition, { narrowing: seen, span });
  return {
    ...result,
    rowCount: result.rows.length,
    ...(span && { period: showSpan(span, clock) }),
    durationMs: Math.round(performance.now() - from),
  };
}

type Narrowed = ReportCondition & { readonly clock: RelativeClock };
type PartialResult = Omit<ReportResult, "rowCount" | "durationMs">;

async function runGroups(
  request: ReportRequest,
  definition: Definition,
  { narrowing, span }: { readonly narrowing: Narrowed; readonly span: Span | undefined },
): Promise<PartialResult> {
  const { compare, totals } = definition;
  if (compare !== undefined && !span) throw invalidField("/compare", "requires a period");
  const spanThen = compare && span && spanBefore(span, compare, narrowing.clock.timezone);
  const [now, then, sums] = await Promise.all([
    readRows(request, definition, { narrowing, span }),
    spanThen &&
      readRows(request, definitionBefore(definition, ROWS_MAX), {
        narrowing: { ...narrowing, span: spanThen },
        span: spanThen,
      }),
    totals === true ? readTotals(request, definition, narrowing) : undefined,
  ]);
  const rows =
    then && span && spanThen
      ? await mergeBefore(request, definition, now.columns, {
          rows: now.rows,
          before: then.rows,
          spans: [span, spanThen],
        })
      : now.rows;
  const columns = now.columns.map(toResultColumn);
  const added = then ? columns.filter(({ role }) => role === "value").map(toBeforeColumn) : [];
  return {
    columns: [...columns, ...added],
    rows: rows.slice(0, definition.limit),
    truncated: now.isCut || rows.length > definition.limit,
    ...(sums && { totals: sums }),
    ...(now.skipped.length > 0 && { notFiltered: [...now.skipped] }),
    ...(spanThen && { before: showSpan(spanThen, narrowing.clock) }),
  };
}

const toResultColumn = ({ name, title, kind, role }: Column) => ({
  name,
  ...(title !== undefined && { title }),
  type: kind,
  role,
});

function toBeforeColumn({ name, type }: ReportResult["columns"][number]) {
  return { name: beforeName(name), type, role: "before" as const, of: name };
}

function showSpan({ from, to }: Span, { timezone }: RelativeClock) {
  return { from: from.toISOString(), to: to.toISOString(), timezone };
}

async function readRows(
  request: ReportRequest,
  definition: Definition,
  { narrowing, span }: { readonly narrowing: Narrowed; readonly span: Span | undefined },
) {
  const { columns, rows, limit, skipped } = await withSource(
    request,
    definition.source,
    async (source, parameters) => {
      const ctx = { parameters, clock: narrowing.clock };
      const plan = compileReport(source, definition, ctx, narrowing);
      const stored = await queryInTurn(request, source, plan.text, plan.values);
      const values = await mapInTurns(stored, (row) => [toReportRow(plan.columns, row)]);
      const { skipped } = splitBar(source, definition, narrowing);
      return { columns: plan.columns, rows: values, limit: plan.limit, skipped };
    },
  );
  return fillRows(request, definition, { columns, rows, limit, skipped, span });
}

interface RowsRead {
  readonly columns: readonly Column[];
  /** One more than the limit if there are more. */
  readonly rows: readonly Record<string, unknown>[];
  readonly limit: number;
  readonly skipped: readonly string[];
  readonly span: Span | undefined;
}

async function fillRows(
  request: ReportRequest,
  definition: Definition,
  { columns, rows, limit, skipped, span: read }: RowsRead,
) {
  const { timeBucket } = definition;
  const page = rows.slice(0, limit);
  // A period on another field does not limit the buckets.
  const isOfBuckets = periodField(definition) === timeBucket?.field && !skipped.includes("period");
  const span = isOfBuckets ? read : undefined;
  const all = timeBucket?.fill
    ? await fillTimeGaps(request, timeBucket, columns, { rows: page, span })
    : rows;
  return { columns, rows: all, isCut: rows.length > limit, skipped };
}

/** Builds the result of a report without a comparison, from its rows. */
export async function toResult(
  request: ReportRequest,
  definition: Definition,
  read: RowsRead,
  clock: RelativeClock,
): Promise<Omit<ReportResult, "durationMs">> {
  const { columns, rows, isCut, skipped } = await fillRows(request, definition, read);
  const page = rows.slice(0, definition.limit);
  return {
    columns: columns.map(toResultColumn),
    rows: page,
    rowCount: page.length,
    truncated: isCut || rows.length > definition.limit,
    ...(skipped.length > 0 && { notFiltered: [...skipped] }),
    ...(read.span && { period: showSpan(read.span, clock) }),
  };
}

function readTotals(request: ReportRequest, definition: Definition, narrowing: Narrowed) {
  return withSource(request, definition.source, async (source, parameters) => {
    const ctx = { parameters, clock: narrowing.clock };
    const plan = compileTotals(source, definition, ctx, narrowing);
    return plan.sort(await queryInTurn(request, source, plan.text, plan.values));
  });
}

/** One row per step: the number that reached it, and its share of the first and of the previous step. */
async function runFunnel(
  request: ReportRequest,
  definition: Definition,
  narrowing: Narrowed,
): Promise<PartialResult> {
  const { funnel } = definition;
  if (!funnel) throw invalidField("/funnel", "is required");
  const counts = await withSource(request, definition.source, async (source, parameters) => {
    const text = compileFunnel(
      source,
      definition,
      { parameters, clock: narrowing.clock },
      narrowing,
    );
    const [row = {}] = await queryInTurn(request, source, text, parameters.values);
    return funnel.steps.map((_, step) => Number(row[`s${step}`] ?? 0));
  });
  const share = (count: number, of = 0): number | null => (of === 0 ? null : count / of);
  const rows = counts.map((count, step) => ({
    step: funnel.steps[step]?.name ?? "",
    count,
    share: share(count, counts[0]),
    step_share: step === 0 ? null : share(count, counts[step - 1]),
  }));
  const value = (name: string) => ({ name, type: "number" as const, role: "value" as const });
  return {
    columns: [
      { name: "step", type: "text", role: "group" },
      ...["count", "share", "step_share"].map(value),
    ],
    rows,
    truncated: false,
  };
}

function compileFunnel(
  source: OpenReportSource,
  definition: Definition,
  ctx: SqlContext,
  narrowing: ReportCondition,
): string {
  const { funnel, period, groupBy, timeBucket, timeParts, compare } = definition;
  if (!funnel) throw invalidField("/funnel", "is required");
  if (groupBy.length > 0 || timeBucket || timeParts || compare !== undefined)
    throw invalidField("/funnel", "can't be combined with groups or a comparison");
  const base = whereSql(source, definition, ctx, narrowing);
  return funnelSql(source, { funnel, time: period?.field, base }, ctx);
}

/** The statement of a report, or of the steps of a funnel. */
export function compileWhole(
  source: OpenReportSource,
  definition: Definition,
  ctx: SqlContext,
  narrowing: ReportCondition,
): { readonly text: string; readonly values: readonly unknown[] } {
  if (definition.compare !== undefined && !resolveSpan(definition, narrowing, ctx.clock))
    throw invalidField("/compare", "requires a period");
  if (definition.funnel)
    return {
      text: compileFunnel(source, definition, ctx, narrowing),
      values: ctx.parameters.values,
    };
  // Totals would reject it later.
  const { pivot = [], groupBy, timeParts = [] } = definition;
  const names = [BUCKET, ...timeParts.map(({ part }) => part), ...groupBy];
  const stray = pivot.find((name) => !names.includes(name));
  if (stray !== undefined) throw invalidField("/pivot", `${stray} is not a group of this report`);
  return compileReport(source, definition, ctx, narrowing);
}

/** The clock of a report; the workspace's zone is read only if a relative time needs one. */
export async function readReportClock(
  request: ReportRequest,
  definition: Definition,
  narrowing: ReportCondition = {},
): Promise<RelativeClock> {
  const isRelative = JSON.stringify([definition, narrowing.filter, narrowing.bar]).includes('"$');
  const isNeeded = isRelative || definition.period || narrowing.period;
  return reportClock(request, definition.timezone ?? (isNeeded ? undefined : "UTC"));
}

/** Throws unless the report could be run. */
export async function checkReport(
  request: ReportRequest,
  definition: Definition,
  narrowing: ReportCondition = {},
): Promise<void> {
  const clock = await readReportClock(request, definition, narrowing);
  await withSource(request, definition.source, async (source, parameters) => {
    compileWhole(source, definition, { parameters, clock }, narrowing);
  });
}

/** Runs a saved report: its errors appeared after it was saved. */
export async function runSavedReport(
  request: ReportRequest,
  definition: Definition,
  narrowing: ReportCondition = {},
): Promise<ReportResult> {
  return mapBrokenReport(() => runReport(request, definition, narrowing));
}

/** Turns the input errors of a saved definition into `ReportBroken`. */
export async function mapBrokenReport<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure) || error.type !== Invalid) throw error;
    const { errors = [] } = error.particulars;
    if (errors.some(({ path }) => path.startsWith("?"))) throw error;
    throw new Failure(ReportBroken, { detail: error.message, errors });
  }
}

/** Runs work with a source; retries once if the source was opened with an outdated schema. */
export async function withSource<T>(
  request: ReportRequest,
  source: Source,
  work: (open: OpenReportSource, parameters: SqlParameters) => Promise<T>,
  begin: () => SqlParameters = () => new SqlParameters(),
): Promise<T> {
  try {
    return await attempt(request, source, work, begin());
  } catch (error) {
    if (error instanceof StaleRead) return attempt(request, source, work, begin());
    throw error;
  }
}

async function attempt<T>(
  request: ReportRequest,
  source: Source,
  work: (open: OpenReportSource, parameters: SqlParameters) => Promise<T>,
  parameters: SqlParameters,
): Promise<T> {
  const open = await openSource(request, source, parameters);
  try {
    return await work(open, parameters);
  } catch (error) {
    const isRefused = error instanceof Failure && error.type === Invalid;
    if (isRefused && (await open.isCurrent?.()) === false) throw new StaleRead({ cause: error });
    throw error;
  }
}

/** Runs a statement on a source within the workspace's fair share. */
export async function queryInTurn(
  { platform, caller }: { readonly platform: Platform; readonly caller: Caller },
  source: OpenReportSource,
  text: string,
  values: readonly unknown[],
): Promise<readonly SqlRow[]> {
  try {
    return await fairShareOf(platform).run(partitionOfCaller(caller).workspace, () =>
      source.query(text, values),
    );
  } catch (error) {
    const code = sqlStateOf(error);
    if (code === CANCELLED) throw new Failure(ReportTimedOut);
    if (code === BAD_VALUE) {
      throw new Failure(ReportBroken, { detail: "The database does not support this time zone." });
    }
    throw error;
  }
}

const fairShares = new WeakMap<Platform["db"], FairShare>();

function fairShareOf({ db }: Platform): FairShare {
  let all = fairShares.get(db);
  if (!all) fairShares.set(db, (all = new FairShare(STATEMENTS_AT_ONCE_MAX)));
  return all;
}
