import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { diffResource } from "#kernel/log/event.ts";
import { Conflict, Failure, invalidField } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { runAsOf } from "../run-as.ts";
import * as reports from "../reports/store.ts";
import { KpiCreated, KpiDeleted, KpiUpdated } from "./kpi.ts";
import {
  type Kpi,
  type KpiChange,
  KpiInUse,
  KPIS_MAX,
  type Measure,
  type NewKpi,
  scheduleOf,
  TooManyKpis,
} from "./kpi.ts";
import { checkMeasure } from "./measure.ts";
import { scheduleNext, assertSchedule } from "./schedule.ts";
import * as store from "./store.ts";

/** What a new one measures, checked as if it were looked at. */
export async function checkNewKpi(
  platform: Platform,
  draft: NewKpi,
  caller: Caller,
): Promise<Measure> {
  assertSchedule(scheduleOf(draft.schedule));
  const measure = measureOf(draft);
  await checkMeasure({ platform, caller }, measure);
  return measure;
}

/** The same of what a change leads to. */
export async function checkKpiChange(
  platform: Platform,
  { id, change }: { readonly id: string; readonly change: KpiChange },
  caller: Caller,
): Promise<{ readonly measure: Measure; readonly revision: number }> {
  const before = await platform.db.read(partitionOfCaller(caller), (tx) => store.get(tx, id));
  if (change.schedule !== undefined) assertSchedule(scheduleOf(change.schedule));
  if (change.reportId !== undefined && change.aggregate) throw both();
  const base = change.reportId !== undefined || change.aggregate ? change : before.measure;
  const window = change.window === undefined ? before.measure.window : change.window;
  const measure = measureOf({ ...pick(base), window });
  // With the rights of who saves it, whatever they change: it runs with these from now on.
  await checkMeasure({ platform, caller }, measure);
  return { measure, revision: before.revision };
}

type Given = { readonly [K in keyof Measure]?: Measure[K] | undefined };

function pick({ reportId, aggregate }: Given): Given {
  return { reportId, aggregate };
}

function measureOf({ reportId, aggregate, window }: Given): Measure {
  if (reportId && aggregate) throw both();
  if (!reportId && !aggregate)
    throw invalidField("/aggregate", "is required where there is no reportId");
  return { reportId: reportId ?? null, aggregate: aggregate ?? null, window: window ?? null };
}

function both(): Failure {
  return invalidField("/aggregate", "can't stand beside a reportId");
}

type Created = WriteContext<typeof KpiCreated>;

function timesIn(given: NewKpi["schedule"]): { readonly cron: string; readonly timezone: string } {
  const { cron, timezone = "UTC" } = scheduleOf(given);
  return { cron, timezone };
}

export async function create(ctx: Created, draft: NewKpi, measure: Measure): Promise<Kpi> {
  if ((await store.count(ctx.tx)) >= KPIS_MAX) throw new Failure(TooManyKpis);
  await holdReport(ctx, measure);
  const { runAs, permissions } = runAsOf(ctx.caller);
  const kpi = await store.insert(ctx.tx, {
    id: newId("kpi", ctx.now.getTime()),
    name: draft.name,
    description: draft.description ?? "",
    measure: JSON.stringify(measure),
    target: draft.target,
    direction: draft.direction,
    unit: draft.unit ?? null,
    ...timesIn(draft.schedule),
    run_as: runAs,
    permissions: permissions && [...permissions],
    created_by: ctx.caller.actor.id,
    created_at: ctx.now,
    updated_at: ctx.now,
  });
  await scheduleNext(ctx, kpi, ctx.now);
  ctx.emit(KpiCreated, referTo(kpi), dataOf(kpi));
  return kpi;
}

export async function update(
  ctx: WriteContext<typeof KpiUpdated>,
  id: string,
  change: KpiChange,
  { measure, revision }: { readonly measure: Measure; readonly revision?: number },
): Promise<Kpi> {
  // First the report: whoever changes that locks it before the KPIs that show it.
  await holdReport(ctx, measure);
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  // What was checked would undo what somebody else has just done.
  if (revision !== undefined && revision !== before.revision) throw new Failure(Conflict);
  const { name, description, target, direction, unit, schedule } = change;
  const { runAs, permissions } = runAsOf(ctx.caller);
  const after = await store.update(ctx.tx, id, {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(target !== undefined && { target }),
    ...(direction !== undefined && { direction }),
    ...(unit !== undefined && { unit }),
    ...(schedule !== undefined && timesIn(schedule)),
    measure: JSON.stringify(measure),
    run_as: runAs,
    permissions: permissions && [...permissions],
    updated_at: ctx.now,
  });
  if (timesOf(before) !== timesOf(after)) await scheduleNext(ctx, after, ctx.now);
  ctx.emit(KpiUpdated, referTo(after), diffResource(dataOf(before), dataOf(after)));
  return after;
}

export async function remove(ctx: WriteContext<typeof KpiDeleted>, id: string): Promise<void> {
  const kpi = await store.lock(ctx.tx, id);
  ctx.expectRevision(kpi.revision);
  const users = await store.dashboardsWith(ctx.tx, id);
  if (users.length > 0) {
    throw new Failure(KpiInUse, { detail: `It is shown by ${users.join(", ")}.` });
  }
  await store.remove(ctx.tx, id);
  ctx.emit(KpiDeleted, referTo(kpi), dataOf(kpi));
}

async function holdReport({ tx }: Pick<Created, "tx">, { reportId }: Measure): Promise<void> {
  if (reportId === null || (await reports.hold(tx, [reportId])).has(reportId)) return;
  throw invalidField("/reportId", "there is no such report");
}

function timesOf({ schedule: { cron, timezone } }: Kpi): string {
  return `${cron} ${timezone}`;
}

/** What events name it by. */
export function referTo({ id, name }: Kpi) {
  return { id, displayName: name };
}

/** What events tell of it. */
export function dataOf(kpi: store.StoredKpi): Kpi {
  const { measure: _, permissions: __, revision: ___, ...data } = kpi;
  return data as Kpi;
}
