/** What the widgets of a dashboard show, all in one answer. */
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

/** As old may be what is shown. */
const FRESH_MS = 10_000;
/** Of answers as text, in one process. */
const CACHE_CHARACTERS_MAX = 32_000_000;
const AT_ONCE = 4;
const HISTORY = 30;

/** One that fails does not keep the others from being shown. */
export async function loadWidgetData(
  platform: Platform,
  caller: Caller,
  { widgets }: Dashboard,
): Promise<readonly WidgetData[]> {
  const answers: WidgetData[] = [];
  const waiting = widgets.map((widget, index) => ({ widget, index }));
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      answers[next.index] = await shown(platform, caller, next.widget);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return answers;
}

async function shown(platform: Platform, caller: Caller, widget: Widget): Promise<WidgetData> {
  const { id, kind } = widget;
  try {
    const { data, atMs, cached } = await recent(platform, caller, widget);
    return { id, kind, status: "ok", data, at: new Date(atMs).toISOString(), cached };
  } catch (error) {
    if (!(error instanceof Failure)) platform.log.error({ err: error }, "A widget failed.");
    const { code, title } = error instanceof Failure ? error.type : Internal;
    const message = error instanceof Failure ? error.message : title;
    return { id, kind, status: "failed", error: { code, message }, at: null, cached: false };
  }
}

interface Answer {
  readonly data: unknown;
  readonly atMs: number;
}

async function recent(
  platform: Platform,
  caller: Caller,
  widget: Widget,
): Promise<Answer & { readonly cached: boolean }> {
  const nowMs = platform.clock.nowMs();
  const { key, answer } = await questionOf(platform, caller, widget);
  const cache = cacheOf(platform);
  const known = cache.get(key);
  if (known && nowMs - known.atMs < FRESH_MS) return { ...known, cached: true };
  const data = await answer();
  const fresh = { data, atMs: nowMs };
  cache.set(key, fresh, JSON.stringify(data).length);
  return { ...fresh, cached: false };
}

interface Question {
  /** The same for the same person who asks the same. */
  readonly key: string;
  readonly answer: () => Promise<unknown>;
}

async function questionOf(platform: Platform, caller: Caller, widget: Widget): Promise<Question> {
  const partition = partitionOfCaller(caller);
  const { reportId, kpiId, text = "" } = widget;
  if (reportId !== undefined) {
    const report = await platform.db.read(partition, (tx) => reportStore.get(tx, reportId));
    return {
      key: keyOf(caller, reportId, report.revision),
      answer: () => runSavedReport({ platform, caller }, report.definition),
    };
  }
  if (kpiId !== undefined) {
    const kpi = await platform.db.read(partition, (tx) => kpiStore.get(tx, kpiId));
    return {
      key: keyOf(caller, kpiId, kpi.revision),
      answer: () => kpiShown(platform, caller, kpi),
    };
  }
  return { key: keyOf(caller, `text ${text}`, 0), answer: async () => ({ text }) };
}

async function kpiShown(platform: Platform, caller: Caller, kpi: StoredKpi) {
  const { id, name, target, direction, unit } = kpi;
  const history = await platform.db.read(partitionOfCaller(caller), (tx) =>
    snapshots.list(tx, id, { limit: HISTORY }),
  );
  return { kpi: { id, name, target, direction, unit }, latest: history[0] ?? null, history };
}

/** Rules may depend on the person, and a token may have less than its owner: both are part of it. */
function keyOf(caller: Caller, what: string, revision: number): string {
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

const caches = new WeakMap<Platform["db"], BoundedCache<Answer>>();

function cacheOf({ db }: Platform): BoundedCache<Answer> {
  let cache = caches.get(db);
  if (!cache) caches.set(db, (cache = new BoundedCache(CACHE_CHARACTERS_MAX)));
  return cache;
}
