/** The data of all widgets of a dashboard, in one response. */
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import { BoundedCache } from "#kernel/work/bounded-cache.ts";
import type { RelativeClock } from "#kernel/condition/relative-time.ts";
import type { ReportRequest } from "#kernel/contributions/report-source.ts";
import { Failure, Internal, NotFound } from "#kernel/operation/failure.ts";
import * as snapshots from "../kpis/snapshot-store.ts";
import { kpiStore, type StoredKpi } from "../kpis/store.ts";
import { limitCells, WIDGET_CELLS_MAX } from "../reports/definition/cell-limit.ts";
import { type FilterBar, toBarCondition } from "../reports/definition/filter-bar.ts";
import {
  type Definition,
  type ReportResult,
  ReportTimedOut,
  toDefinition,
  toInput,
} from "../reports/report.ts";
import { runSavedReport } from "../reports/run-report.ts";
import { runSharedReports, SHARED_REPORTS_MAX, sharedKey } from "../reports/shared-report.ts";
import { reportStore, type StoredReport } from "../reports/store.ts";
import type { Widget, WidgetData } from "./dashboard.ts";

/** The age up to which data is shared between requests. */
const FRESH_MS = 10_000;
/** The size limit of cached data per process. */
const CACHE_CHARACTERS_MAX = 32_000_000;
const WIDGETS_AT_ONCE_MAX = 4;
const HISTORY_SNAPSHOTS_MAX = 30;

/** The filter bar of all widgets, the clock they share, and the maximum age of their data. */
export interface WidgetView {
  readonly bar: FilterBar;
  readonly clock: RelativeClock;
  readonly maxAgeS?: number | undefined;
}

/** Loads the data of widgets in parallel; a failed widget does not affect the others. */
export async function loadWidgetData(
  request: ReportRequest,
  widgets: readonly Widget[],
  view: WidgetView,
): Promise<readonly WidgetData[]> {
  const results: WidgetData[] = [];
  const saved = await readSaved(request, widgets);
  const shared = shareReports(request, widgets, { ...view, saved });
  const waiting = widgets.map((widget, index) => ({ widget, index }));
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      results[next.index] = await loadWidget(request, next.widget, { ...view, saved, shared });
    }
  };
  await Promise.all(Array.from({ length: WIDGETS_AT_ONCE_MAX }, work));
  return results;
}

interface Saved {
  readonly reports: ReadonlyMap<string, StoredReport>;
  readonly kpis: ReadonlyMap<string, StoredKpi>;
  /** The reports defined inside the widgets. */
  readonly drafts: ReadonlyMap<NonNullable<Widget["report"]>, Definition>;
}

/** The reports and KPIs that widgets name, in one transaction. */
function readSaved(
  { platform, caller }: ReportRequest,
  widgets: readonly Widget[],
): Promise<Saved> {
  const ids = (key: "reportId" | "kpiId") => [...new Set(widgets.flatMap((one) => one[key] ?? []))];
  return platform.db.read(partitionOfCaller(caller), async (tx) => {
    const reports = await reportStore.select(tx, "id = any($1)", [ids("reportId")]);
    const kpis = await kpiStore.select(tx, "id = any($1)", [ids("kpiId")]);
    return {
      reports: new Map(
        reports.map((report) => [
          report.id,
          { ...report, definition: limitCells(report.definition, WIDGET_CELLS_MAX) },
        ]),
      ),
      kpis: new Map(kpis.map((kpi) => [kpi.id, kpi])),
      drafts: new Map(
        widgets.flatMap(({ report }) =>
          report ? [[report, limitCells(toDefinition(report), WIDGET_CELLS_MAX)] as const] : [],
        ),
      ),
    };
  });
}

type LoadContext = WidgetView & { readonly saved: Saved; readonly shared?: SharedReports };
/** Functions that load a report together with others, by definition. */
type SharedReports = ReadonlyMap<Definition, () => Promise<ReportResult>>;

/** Groups reports over the same rows, which are read together on first use; a single report is read separately. */
function shareReports(
  request: ReportRequest,
  widgets: readonly Widget[],
  ctx: LoadContext,
): SharedReports {
  const keyed = new Map<string, Definition[]>();
  for (const widget of widgets) {
    const definition = findDefinition(widget, ctx.saved);
    const key = definition && sharedKey(request, definition, clockIn(definition, ctx.clock));
    const set = key === undefined ? undefined : (keyed.get(key) ?? []);
    if (!set || !definition || set.includes(definition)) continue;
    if (key !== undefined) keyed.set(key, [...set, definition]);
  }
  const sets = [...keyed.values()].flatMap((set) => chunk(set, SHARED_REPORTS_MAX));
  return new Map(
    sets
      .filter((set) => set.length > 1)
      .flatMap((set) => {
        let results: Promise<readonly ReportResult[]> | undefined;
        return set.map((definition, at) => {
          const narrowing = toNarrowing(definition, ctx);
          const load = async () => {
            results ??= runSharedReports(request, set, narrowing);
            return (await results)[at] as ReportResult;
          };
          return [definition, load] as const;
        });
      }),
  );
}

function chunk<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  const count = Math.ceil(all.length / size);
  return Array.from({ length: count }, (_, at) => all.slice(at * size, (at + 1) * size));
}

function findDefinition({ reportId, report }: Widget, { reports, drafts }: Saved) {
  if (reportId !== undefined) return reports.get(reportId)?.definition;
  return report && drafts.get(report);
}

function toNarrowing(definition: Definition, { bar, clock }: WidgetView) {
  return { ...toBarCondition(bar), clock: clockIn(definition, clock) };
}

async function loadWidget(
  request: ReportRequest,
  widget: Widget,
  ctx: LoadContext,
): Promise<WidgetData> {
  const { id, kind } = widget;
  try {
    const { about, key, load } = prepareWidget(request, widget, ctx);
    const { data, atMs, cached } = await readCached(request, { key, load }, ctx);
    return { id, kind, status: "ok", ...about, data, at: new Date(atMs).toISOString(), cached };
  } catch (error) {
    const { log } = request.platform;
    if (!(error instanceof Failure)) log.error({ err: error }, "Can't load a widget.");
    const { code, title } = error instanceof Failure ? error.type : Internal;
    const message = error instanceof Failure ? error.message : title;
    return { id, kind, status: "failed", error: { code, message }, at: null, cached: false };
  }
}

interface CachedData {
  readonly data: unknown;
  readonly atMs: number;
}

async function readCached(
  { platform }: ReportRequest,
  { key, load }: Pick<PreparedWidget, "key" | "load">,
  { maxAgeS }: WidgetView,
): Promise<CachedData & { readonly cached: boolean }> {
  const nowMs = platform.clock.nowMs();
  const cache = cacheOf(platform);
  const stored = cache.get(key);
  const freshMs = maxAgeS === undefined ? FRESH_MS : maxAgeS * 1_000;
  if (stored && nowMs - stored.atMs < freshMs) return { ...stored, cached: true };
  const data = await load();
  const fresh = { data, atMs: nowMs };
  cache.set(key, fresh, estimateCharacters(data));
  return { ...fresh, cached: false };
}

const SAMPLE_ROWS = 20;

/** Estimates the JSON length of data from its first rows. */
function estimateCharacters(data: unknown): number {
  const { rows, ...others } = Object(data) as { readonly rows?: unknown };
  if (!Array.isArray(rows)) return JSON.stringify(data).length;
  const sample = rows.slice(0, SAMPLE_ROWS);
  const perRow = JSON.stringify(sample).length / Math.max(1, sample.length);
  return JSON.stringify(others).length + perRow * rows.length;
}

interface PreparedWidget {
  readonly about: Pick<WidgetData, "name" | "report">;
  /** Equal for equal requests of the same person. */
  readonly key: string;
  readonly load: () => Promise<unknown>;
}

function prepareWidget(request: ReportRequest, widget: Widget, ctx: LoadContext): PreparedWidget {
  const { saved, bar } = ctx;
  const { caller } = request;
  const { reportId, report: own, kpiId, text = "" } = widget;
  if (reportId !== undefined || own) {
    const definition = findDefinition(widget, saved);
    if (!definition) throw new Failure(NotFound);
    const report = reportId === undefined ? undefined : saved.reports.get(reportId);
    const narrowing = toNarrowing(definition, ctx);
    const input = toInput(definition);
    return {
      about: { ...(report && { name: report.name }), report: input },
      key: cacheKey(caller, { input, bar, timezone: narrowing.clock.timezone }),
      load: () => loadReport(request, definition, ctx),
    };
  }
  if (kpiId !== undefined) {
    const kpi = saved.kpis.get(kpiId);
    if (!kpi) throw new Failure(NotFound);
    return {
      about: { name: kpi.name },
      key: cacheKey(caller, [kpiId, kpi.revision]),
      load: () => loadKpi(request, kpi),
    };
  }
  return { about: {}, key: cacheKey(caller, `text ${text}`), load: async () => ({ text }) };
}

/** Loads a report together with others if possible; an error in one must not affect the others. */
async function loadReport(
  request: ReportRequest,
  definition: Definition,
  ctx: LoadContext,
): Promise<ReportResult> {
  const alone = () => runSavedReport(request, definition, toNarrowing(definition, ctx));
  const together = ctx.shared?.get(definition);
  if (!together) return alone();
  try {
    return await together();
  } catch (error) {
    if (error instanceof Failure && error.type !== ReportTimedOut) return alone();
    throw error;
  }
}

/** A report with its own zone keeps it. */
function clockIn({ timezone }: Definition, clock: RelativeClock): RelativeClock {
  return timezone === undefined ? clock : { ...clock, timezone };
}

async function loadKpi({ platform, caller }: ReportRequest, kpi: StoredKpi) {
  const { id, name, target, direction, unit } = kpi;
  const history = await platform.db.read(partitionOfCaller(caller), (tx) =>
    snapshots.list(tx, id, { limit: HISTORY_SNAPSHOTS_MAX }),
  );
  return { kpi: { id, name, target, direction, unit }, latest: history[0] ?? null, history };
}

/**
 * Access rules may depend on the user, and a token may have fewer permissions than its owner: both are part of the
 * key.
 */
function cacheKey(caller: Caller, what: unknown): string {
  const { principal: person, actor, permissions } = caller;
  const parts = [
    partitionOfCaller(caller),
    person?.id ?? actor.id,
    [...(person?.roles ?? [])].toSorted(),
    [...permissions].toSorted(),
    what,
  ];
  return sha256(JSON.stringify(parts)).toString("base64");
}

const caches = new WeakMap<Platform["db"], BoundedCache<CachedData>>();

function cacheOf({ db }: Platform): BoundedCache<CachedData> {
  let cache = caches.get(db);
  if (!cache) caches.set(db, (cache = new BoundedCache(CACHE_CHARACTERS_MAX)));
  return cache;
}
