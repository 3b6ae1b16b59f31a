/** Runs the reports of a dashboard over the same rows together, so that the rows are read once. */
import type { RelativeClock } from "#kernel/condition/relative-time.ts";
import {
  type OpenReportSource,
  type ReportRequest,
  reportSourcesOf,
} from "#kernel/contributions/report-source.ts";
import { DistinctParameters, type SqlRow } from "#kernel/db/statement.ts";
import type { Aggregate, Definition, ReportResult } from "./report.ts";
import { mapBrokenReport, queryInTurn, toResult, withSource } from "./run-report.ts";
import { periodField, type ReportCondition, resolveSpan, splitBar } from "./sql/report-sql.ts";
import { compileShared, FINEST, type SharedPart, type SharedStatement } from "./sql/shared-sql.ts";

/** With more groups than these in total, reports with different groups read their rows separately. */
const FINEST_GROUPS_MAX = 20_000;
/** The maximum number of reports per statement; larger dashboards use several. */
export const SHARED_REPORTS_MAX = 40;

const UNSHARED: ReadonlySet<Aggregate["fn"]> = new Set(["distinct", "percentile"]);

/** Equal for reports that can run together; undefined for one that cannot. */
export function sharedKey(
  { platform }: ReportRequest,
  definition: Definition,
  clock: RelativeClock,
): string | undefined {
  const { source, period, compare, totals, funnel, aggregates } = definition;
  const isQuery = reportSourcesOf(platform).get(source.kind)?.isQuery === true;
  const isWhole = isQuery || funnel !== undefined || compare !== undefined || totals === true;
  const functions = aggregates.flatMap(({ fn, of, over }) => [fn, of?.fn, over?.fn]);
  if (isWhole || functions.some((fn) => fn !== undefined && UNSHARED.has(fn))) return undefined;
  return JSON.stringify([source, period, periodField(definition), clock.timezone]);
}

type Narrowed = ReportCondition & { readonly clock: RelativeClock };

/** Runs reports with the same key; the results have the order of the reports. */
export async function runSharedReports(
  request: ReportRequest,
  definitions: readonly Definition[],
  narrowing: Narrowed,
): Promise<readonly ReportResult[]> {
  const from = performance.now();
  const results = await mapBrokenReport(() => readShared(request, definitions, narrowing));
  const durationMs = Math.round(performance.now() - from);
  return results.map((result) => ({ ...result, durationMs }));
}

type UntimedResult = Omit<ReportResult, "durationMs">;

async function readShared(
  request: ReportRequest,
  definitions: readonly Definition[],
  narrowing: Narrowed,
): Promise<readonly UntimedResult[]> {
  const [first] = definitions;
  if (!first) return [];
  const { clock } = narrowing;
  const read = await withSource(
    request,
    first.source,
    async (source, parameters) => {
      const plan = compileShared(source, definitions, { parameters, clock }, narrowing);
      if (!plan) throw new Error("A report that needs all its rows was to share them.");
      if (plan.isFiner && (await isTooFine(request, source, plan))) return undefined;
      const rows = await queryInTurn(request, source, plan.text, plan.values);
      return { parts: await plan.split(rows), skipped: splitBar(source, first, narrowing).skipped };
    },
    () => new DistinctParameters(),
  );
  if (!read) return readByGroups(request, definitions, narrowing);
  const span = resolveSpan(first, narrowing, clock);
  const { parts, skipped } = read;
  return Promise.all(
    definitions.map((definition, at) =>
      toResult(request, definition, { ...(parts[at] as SharedPart), skipped, span }, clock),
    ),
  );
}

/** Uses the planner's estimate, which takes a millisecond, while computing the groups may take seconds. */
async function isTooFine(
  request: ReportRequest,
  source: OpenReportSource,
  { text, values }: SharedStatement,
): Promise<boolean> {
  const [row] = await queryInTurn(request, source, `explain (format json) ${text}`, values);
  const [explained] = (row?.["QUERY PLAN"] ?? []) as readonly { readonly Plan: PlanNode }[];
  return finestRows(explained?.Plan) > FINEST_GROUPS_MAX;
}

interface PlanNode extends SqlRow {
  readonly "Subplan Name"?: string;
  readonly "Plan Rows"?: number;
  readonly Plans?: readonly PlanNode[];
}

function finestRows(node: PlanNode | undefined): number {
  if (!node) return 0;
  if (node["Subplan Name"] === `CTE ${FINEST}`) return node["Plan Rows"] ?? 0;
  return Math.max(0, ...(node.Plans ?? []).map(finestRows));
}

/** Reports with the same groups share a statement; those without groups join the first one. */
async function readByGroups(
  request: ReportRequest,
  definitions: readonly Definition[],
  narrowing: Narrowed,
): Promise<readonly UntimedResult[]> {
  const keyOf = ({ groupBy, timeBucket, timeParts }: Definition): string =>
    JSON.stringify([groupBy, timeBucket, timeParts]);
  const plain = keyOf({ groupBy: [], timeBucket: null } as unknown as Definition);
  const keys = definitions.map(keyOf);
  const firstKey = keys.find((key) => key !== plain) ?? plain;
  const sets = Map.groupBy(definitions, (_, at) => (keys[at] === plain ? firstKey : keys[at]));
  const answers = new Map<Definition, UntimedResult>();
  await Promise.all(
    [...sets.values()].map(async (set) => {
      const results = await readShared(request, set, narrowing);
      for (const [at, definition] of set.entries()) {
        const result = results[at];
        if (result) answers.set(definition, result);
      }
    }),
  );
  return definitions.map((definition) => answers.get(definition) as UntimedResult);
}
