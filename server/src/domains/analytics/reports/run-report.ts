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

/** At most so many statements of reports at once, of one process. */
const LANES = 4;

const CANCELLED = "57014";
const BAD_VALUE = "22023";

/** Runs a report as the caller may see it. */
export async function runReport(
  asking: ReportRequest,
  definition: Definition,
  narrowing: ReportCondition = {},
): Promise<ReportResult> {
  const from = performance.now();
  const { columns, rows, limit } = await withSource(
    asking,
    definition.source,
    async (source, parameters) => {
      const plan = compileReport(source, definition, parameters, narrowing);
      const found = await askInTurn(asking, source, plan.text, plan.values);
      const shown = found.map((row) => toReportRow(plan.columns, row));
      return { columns: plan.columns, rows: shown, limit: plan.limit };
    },
  );
  const { timeBucket } = definition;
  const isCut = rows.length > limit;
  const all = timeBucket?.fill
    ? await fillTimeGaps(asking, timeBucket, columns, rows.slice(0, limit))
    : rows;
  const kept = all.slice(0, definition.limit);
  return {
    columns: columns.map(({ name, kind, role }) => ({ name, type: kind, role })),
    rows: kept,
    rowCount: kept.length,
    truncated: isCut || all.length > definition.limit,
    durationMs: Math.round(performance.now() - from),
  };
}

/** Throws unless the report could be run. */
export async function checkReport(
  asking: ReportRequest,
  definition: Definition,
  narrowing: ReportCondition = {},
): Promise<void> {
  await withSource(asking, definition.source, async (source, parameters) => {
    compileReport(source, definition, parameters, narrowing);
  });
}

/** The same for one that was saved: what is wrong with it now was right once. */
export async function runSavedReport(
  asking: ReportRequest,
  definition: Definition,
  narrowing: ReportCondition = {},
): Promise<ReportResult> {
  return mapBrokenReport(() => runReport(asking, definition, narrowing));
}

/** What a saved definition is refused for is told as what has become of it. */
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
  asking: ReportRequest,
  source: Source,
  work: (open: OpenReportSource, parameters: SqlParameters) => Promise<T>,
): Promise<T> {
  try {
    return await attempt(asking, source, work);
  } catch (error) {
    if (error instanceof StaleRead) return attempt(asking, source, work);
    throw error;
  }
}

async function attempt<T>(
  asking: ReportRequest,
  source: Source,
  work: (open: OpenReportSource, parameters: SqlParameters) => Promise<T>,
): Promise<T> {
  const parameters = new SqlParameters();
  const open = await openSource(asking, source, parameters);
  try {
    return await work(open, parameters);
  } catch (error) {
    const isRefused = error instanceof Failure && error.type === Invalid;
    if (isRefused && (await open.isCurrent?.()) === false) throw new StaleRead({ cause: error });
    throw error;
  }
}

/** Sends a statement over a source when it is the workspace's turn. */
export async function askInTurn(
  { platform, caller }: { readonly platform: Platform; readonly caller: Caller },
  source: OpenReportSource,
  text: string,
  values: readonly unknown[],
): Promise<readonly SqlRow[]> {
  try {
    return await turnsOf(platform).run(partitionOfCaller(caller).workspace, () =>
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

const turns = new WeakMap<Platform["db"], FairShare>();

function turnsOf({ db }: Platform): FairShare {
  let all = turns.get(db);
  if (!all) turns.set(db, (all = new FairShare(LANES)));
  return all;
}
