import Type, { type Static } from "typebox";
import { invalidField } from "#kernel/operation/failure.ts";
import { type PackContext, packContent } from "#kernel/contributions/pack-content.ts";
import { line, object } from "#kernel/schema/schema.ts";
import * as kpis from "../kpis/store.ts";
import { AnalyticsWrite } from "../permissions.ts";
import * as reports from "../reports/store.ts";
import { fields, type NewWidget, Widget } from "./dashboard.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

const { reportId: _, kpiId: __, id, ...about } = Widget.properties;

const schema = object(
  {
    name: fields.name,
    description: Type.Optional(fields.description),
    widgets: Type.Array(
      object({
        id: Type.Optional(id),
        ...about,
        report: Type.Optional(line(200, "The name of a report, of the pack or there before")),
        kpi: Type.Optional(line(200, "The name of a KPI, of the pack or there before")),
      }),
      { maxItems: 50 },
    ),
  },
  { title: "PackDashboard" },
);
type PackDashboard = Static<typeof schema>;

/** Dashboards that packs bring; their widgets know reports and KPIs by name. */
export const dashboardContent = packContent({
  kind: "dashboards",
  after: ["reports", "kpis"],
  permission: AnalyticsWrite,
  environmentScoped: true,
  schema,
  keyOf: ({ name }) => name,
  find: async ({ tx }, { name }) => (await store.findByName(tx, name))?.id,
  async read({ tx }, dashboardId) {
    const dashboard = await store.find(tx, dashboardId);
    if (!dashboard) return undefined;
    const { name, description, widgets } = dashboard;
    return { name, description, widgets };
  },
  create: async (ctx, dashboard) =>
    (await service.create(ctx, { ...dashboard, widgets: await widgetsOf(ctx, dashboard) })).id,
  async replace(ctx, dashboardId, dashboard) {
    const widgets = await widgetsOf(ctx, dashboard);
    await service.update(ctx, dashboardId, { description: "", ...dashboard, widgets });
    return dashboardId;
  },
  remove: service.remove,
});

async function widgetsOf({ tx }: PackContext, { widgets }: PackDashboard): Promise<NewWidget[]> {
  const made: NewWidget[] = [];
  for (const [index, { report, kpi, ...widget }] of widgets.entries()) {
    const path = `/widgets/${index}`;
    made.push({
      ...widget,
      ...(report !== undefined && {
        reportId: idOf(await reports.findByName(tx, report), `${path}/report`),
      }),
      ...(kpi !== undefined && { kpiId: idOf(await kpis.findByName(tx, kpi), `${path}/kpi`) }),
    });
  }
  return made;
}

function idOf(found: { readonly id: string } | undefined, path: string): string {
  if (!found) throw invalidField(path, "names nothing that is there");
  return found.id;
}
