/** The data of all widgets of a dashboard, in one response. */
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import { BoundedCache } from "#kernel/work/bounded-cache.ts";
import { Failure, Internal } from "#kernel/operation/failure.ts";
import * as snapshots from "../kpis/snapshot-store.ts";
import { kpiStore, type StoredKpi } from "../kpis/store.ts";
import { runSavedReport } from "../reports/run-report.ts";
import { reportStore } from "../reports/store.ts";
import type { Dashboard, Widget, WidgetData } from "./dashboard.ts";

/** The age up to which data is shared between requests. */
const FRESH_MS = 10_000;
/** Of cached data as text, in one process. */
const CACHE_CHARACTERS_MAX = 32_000_000;
const WIDGETS_AT_ONCE_MAX = 4;
const HISTORY_SNAPSHOTS_MAX = 30;

/** Loads the data of all widgets; one that fails does not hinder the others. */
export async function loadWidgetData(
  platform: Platform,
  caller: Caller,
  { widgets }: Dashboard,
): Promise<readonly WidgetData[]> {
  const results: WidgetData[] = [];
  const waiting = widgets.map((widget, index) => ({ widget, index }));
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      results[next.index] = await loadWidget(platform, caller, next.widget);
    }
  };
  await Promise.all(Array.from({ length: WIDGETS_AT_ONCE_MAX }, work));
  return results;
}

async function loadWidget(platform: Platform, caller: Caller, widget: Widget): Promise<WidgetData> {
  const { id, kind } = widget;
  try {
    const { data, atMs, cached } = await readCached(platform, caller, widget);
    return { id, kind, status: "ok", data, at: new Date(atMs).toISOString(), cached };
  } catch (error) {
    if (!(error instanceof Failure)) platform.log.error({ err: error }, "A widget failed.");
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
  platform: Platform,
  caller: Caller,
  widget: Widget,
): Promise<CachedData & { readonly cached: boolean }> {
  const nowMs = platform.clock.nowMs();
  const { key, load } = await prepareWidget(platform, caller, widget);
  const cache = cacheOf(platform);
  const stored = cache.get(key);
  if (stored && nowMs - stored.atMs < FRESH_MS) return { ...stored, cached: true };
  const data = await load();
  const fresh = { data, atMs: nowMs };
  cache.set(key, fresh, JSON.stringify(data).length);
  return { ...fresh, cached: false };
}

interface PreparedWidget {
  /** Equal for equal requests of the same person. */
  readonly key: string;
  readonly load: () => Promise<unknown>;
}

async function prepareWidget(
  platform: Platform,
  caller: Caller,
  widget: Widget,
): Promise<PreparedWidget> {
  const partition = partitionOfCaller(caller);
  const { reportId, kpiId, text = "" } = widget;
  if (reportId !== undefined) {
    const report = await platform.db.read(partition, (tx) => reportStore.get(tx, reportId));
    return {
      key: cacheKey(caller, reportId, report.revision),
      load: () => runSavedReport({ platform, caller }, report.definition),
    };
  }
  if (kpiId !== undefined) {
    const kpi = await platform.db.read(partition, (tx) => kpiStore.get(tx, kpiId));
    return {
      key: cacheKey(caller, kpiId, kpi.revision),
      load: () => loadKpi(platform, caller, kpi),
    };
  }
  return { key: cacheKey(caller, `text ${text}`, 0), load: async () => ({ text }) };
}

async function loadKpi(platform: Platform, caller: Caller, kpi: StoredKpi) {
  const { id, name, target, direction, unit } = kpi;
  const history = await platform.db.read(partitionOfCaller(caller), (tx) =>
    snapshots.list(tx, id, { limit: HISTORY_SNAPSHOTS_MAX }),
  );
  return { kpi: { id, name, target, direction, unit }, latest: history[0] ?? null, history };
}

/** Rules may depend on the person, and a token may have less than its owner: both are part of it. */
function cacheKey(caller: Caller, what: string, revision: number): string {
  const { principal: person, actor, permissions } = caller;
  const parts = [
    partitionOfCaller(caller),
    person?.id ?? actor.id,
    [...(person?.roles ?? [])].toSorted(),
    [...permissions].toSorted(),
    what,
    revision,
  ];
  return sha256(JSON.stringify(parts)).toString("base64");
}

const caches = new WeakMap<Platform["db"], BoundedCache<CachedData>>();

function cacheOf({ db }: Platform): BoundedCache<CachedData> {
  let cache = caches.get(db);
  if (!cache) caches.set(db, (cache = new BoundedCache(CACHE_CHARACTERS_MAX)));
  return cache;
}
