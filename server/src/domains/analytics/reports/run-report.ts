import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { sqlStateOf, StaleRead } from "#kernel/db/errors.ts";
import { SqlParameters, type SqlRow } from "#kernel/db/statement.ts";
import { Failure, Invalid } from "#kernel/operation/failure.ts";
import { FairShare } from "#kernel/work/fair-share.ts";
import { type OpenReportSource, type ReportRequest } from "#kernel/contributions/report-source.ts";
import { fillTimeGaps } from "./fill-gaps.ts";
import { type ReportCondition, compileReport, toReportRow } from "./report-sql.ts";
import {
  type Definition,
  ReportBroken,
  type ReportResult,
  ReportTimedOut,
  type Source,
} from "./report.ts";
import { openSource } from "./source.ts";

/** Statements of reports that one process runs at once. */
const STATEMENTS_AT_ONCE_MAX = 4;

const CANCELLED = "57014";
const BAD_VALUE = "22023";

/** Runs a report as the caller may see it. */
export async function runReport(
  request: ReportRequest,
  definition: Definition,
  narrowing: ReportCondition = {},
): Promise<ReportResult> {
  const from = performance.now();
  const { columns, rows, limit } = await withSource(
    request,
    definition.source,
    async (source, parameters) => {
      const plan = compileReport(source, definition, parameters, narrowing);
      const stored = await queryInTurn(request, source, plan.text, plan.values);
      const values = stored.map((row) => toReportRow(plan.columns, row));
      return { columns: plan.columns, rows: values, limit: plan.limit };
    },
  );
  const { timeBucket } = definition;
  const isCut = rows.length > limit;
  const all = timeBucket?.fill
    ? await fillTimeGaps(request, timeBucket, columns, rows.slice(0, limit))
    : rows;
  const page = all.slice(0, definition.limit);
  return {
    columns: columns.map(({ name, kind, role }) => ({ name, type: kind, role })),
    rows: page,
    rowCount: page.length,
    truncated: isCut || all.length > definition.limit,
    durationMs: Math.round(performance.now() - from),
  };
}

/** Throws unless the report could be run. */
export async function checkReport(
  request: ReportRequest,
  definition: Definition,
  narrowing: ReportCondition = {},
): Promise<void> {
  await withSource(request, definition.source, async (source, parameters) => {
    compileReport(source, definition, parameters, narrowing);
  });
}

/** Runs a saved report: what is wrong with it now was right when it was saved. */
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

/** Works with a source; once more where it was opened by what had just changed. */
export async function withSource<T>(
  request: ReportRequest,
  source: Source,
  work: (open: OpenReportSource, parameters: SqlParameters) => Promise<T>,
): Promise<T> {
  try {
    return await attempt(request, source, work);
  } catch (error) {
    if (error instanceof StaleRead) return attempt(request, source, work);
    throw error;
  }
}

async function attempt<T>(
  request: ReportRequest,
  source: Source,
  work: (open: OpenReportSource, parameters: SqlParameters) => Promise<T>,
): Promise<T> {
  const parameters = new SqlParameters();
  const open = await openSource(request, source, parameters);
  try {
    return await work(open, parameters);
  } catch (error) {
    const isRefused = error instanceof Failure && error.type === Invalid;
    if (isRefused && (await open.isCurrent?.()) === false) throw new StaleRead({ cause: error });
    throw error;
  }
}

/** Sends a statement over a source within the workspace's fair share. */
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
      throw new Failure(ReportBroken, { detail: "The database does not know this time zone." });
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
