import type { Tx } from "#kernel/db/connection.ts";
import { diffResource } from "#kernel/log/event.ts";
import { Failure, type FieldError, Invalid } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { WriteContext } from "#kernel/operation/operation.ts";
import * as kpis from "../kpis/store.ts";
import * as reports from "../reports/store.ts";
import {
  type Dashboard,
  DASHBOARDS_MAX,
  type NewWidget,
  TooManyDashboards,
  type Widget,
} from "./dashboard.ts";
import { DashboardCreated, DashboardDeleted, DashboardUpdated } from "./dashboard.ts";
import * as store from "./store.ts";

interface Draft {
  readonly name: string;
  readonly description?: string | undefined;
  readonly widgets?: readonly NewWidget[] | undefined;
}

export async function create(
  ctx: WriteContext<typeof DashboardCreated>,
  { name, description = "", widgets = [] }: Draft,
): Promise<Dashboard> {
  if ((await store.count(ctx.tx)) >= DASHBOARDS_MAX) throw new Failure(TooManyDashboards);
  const dashboard = await store.insert(ctx.tx, {
    id: newId("dsh", ctx.now.getTime()),
    name,
    description,
    widgets: JSON.stringify(await checked(ctx.tx, widgets)),
    created_by: ctx.caller.actor.id,
    created_at: ctx.now,
    updated_at: ctx.now,
  });
  ctx.emit(DashboardCreated, referTo(dashboard), dataOf(dashboard));
  return dashboard;
}

export async function update(
  ctx: WriteContext<typeof DashboardUpdated>,
  id: string,
  { name, description, widgets }: Partial<Draft>,
): Promise<Dashboard> {
  const before = await store.lock(ctx.tx, id);
  ctx.expectRevision(before.revision);
  const after = await store.update(ctx.tx, id, {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(widgets && { widgets: JSON.stringify(await checked(ctx.tx, widgets)) }),
    updated_at: ctx.now,
  });
  ctx.emit(DashboardUpdated, referTo(after), diffResource(dataOf(before), dataOf(after)));
  return after;
}

export async function remove(
  ctx: WriteContext<typeof DashboardDeleted>,
  id: string,
): Promise<void> {
  const dashboard = await store.lock(ctx.tx, id);
  ctx.expectRevision(dashboard.revision);
  await store.remove(ctx.tx, id);
  ctx.emit(DashboardDeleted, referTo(dashboard), dataOf(dashboard));
}

/** What each kind of widget shows. */
const SHOWN = { report: "reportId", kpi: "kpiId", text: "text" } as const;

/** Widgets with an id each, of which all that they name is there, and stays until this commits. */
async function checked(tx: Tx, widgets: readonly NewWidget[]): Promise<readonly Widget[]> {
  const faults: FieldError[] = [];
  const named = (key: "reportId" | "kpiId") => widgets.flatMap((widget) => widget[key] ?? []);
  const there = {
    reportId: await reports.hold(tx, named("reportId")),
    kpiId: await kpis.hold(tx, named("kpiId")),
  };
  const ids = new Set<string>();
  const made = widgets.map((given, index) => {
    const path = `/widgets/${index}`;
    const widget = { ...usual(given, index), ...given };
    for (const [kind, key] of Object.entries(SHOWN)) {
      const isWanted = kind === widget.kind;
      if (isWanted === (widget[key] !== undefined)) continue;
      const message = isWanted ? "is required" : `does not go with the kind ${widget.kind}`;
      faults.push({ path: `${path}/${key}`, message });
    }
    for (const key of ["reportId", "kpiId"] as const) {
      const id = widget[key];
      if (id !== undefined && !there[key].has(id)) {
        faults.push({ path: `${path}/${key}`, message: "is not there" });
      }
    }
    const id = widget.id ?? `w${index + 1}`;
    if (ids.has(id)) faults.push({ path: `${path}/id`, message: "comes more than once" });
    ids.add(id);
    return { ...widget, id };
  });
  const [first] = faults;
  if (!first) return made;
  throw new Failure(Invalid, { detail: `${first.path} ${first.message}`, errors: faults });
}

const HEIGHT = 4;
const WIDTH = 12;

/** What is left to say of a widget that shows something. */
function usual({ reportId, kpiId }: NewWidget, index: number) {
  const kind = reportId === undefined ? (kpiId === undefined ? "text" : "kpi") : "report";
  const layout = { x: 0, y: index * HEIGHT, w: WIDTH, h: HEIGHT };
  return { title: "", kind, layout } as const;
}

function referTo({ id, name }: Dashboard) {
  return { id, displayName: name };
}

function dataOf({ revision: _, ...dashboard }: Dashboard) {
  return dashboard;
}
