import Type, { type Static } from "typebox";
import { invalidField } from "#kernel/operation/failure.ts";
import type { PackContext } from "#kernel/contributions/pack-content.ts";
import { resourcePack } from "#kernel/resource/pack.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { kpiStore } from "../kpis/store.ts";
import { reportStore } from "../reports/store.ts";
import { dashboardFields, type NewWidget, Widget } from "./dashboard.ts";
import { dashboards } from "./operations.ts";

const { reportId: _, kpiId: __, report: Inline, id, ...about } = Widget.properties;

const schema = object(
  {
    name: dashboardFields.name,
    description: Type.Optional(dashboardFields.description),
    filters: Type.Optional(dashboardFields.filters),
    period: Type.Optional(dashboardFields.period),
    widgets: Type.Array(
      object({
        id: Type.Optional(id),
        ...about,
        report: Type.Optional(
          Type.Union([line(200, "The name of a report in the pack or in the workspace"), Inline], {
            description: "The name of a report, or the definition of a report only for this tile",
          }),
        ),
        kpi: Type.Optional(line(200, "The name of a KPI in the pack or in the workspace")),
      }),
      { maxItems: 50 },
    ),
  },
  { title: "PackDashboard" },
);
type PackDashboard = Static<typeof schema>;

/** Dashboards in packs; their widgets refer to reports and KPIs by name. */
export const dashboardContent = resourcePack(dashboards, {
  schema,
  after: ["reports", "kpis"],
  environmentScoped: true,
  toInput: async (ctx, content) => ({ ...content, widgets: await toWidgets(ctx, content) }),
  async toSource({ tx }, { widgets, ...content }) {
    const named = widgets.map(async ({ reportId, kpiId, ...widget }) => ({
      ...widget,
      ...(reportId !== undefined && { report: (await reportStore.find(tx, reportId))?.name }),
      ...(kpiId !== undefined && { kpi: (await kpiStore.find(tx, kpiId))?.name }),
    }));
    return { ...content, widgets: await Promise.all(named) };
  },
});

async function toWidgets(
  { tx }: PackContext,
  { widgets: contents }: PackDashboard,
): Promise<NewWidget[]> {
  const widgets: NewWidget[] = [];
  for (const [index, { report, kpi, ...widget }] of contents.entries()) {
    const path = `/widgets/${index}`;
    widgets.push({
      ...widget,
      ...(typeof report === "string" && {
        reportId: requireId(await reportStore.findBy(tx, "name", report), `${path}/report`),
      }),
      ...(typeof report === "object" && { report }),
      ...(kpi !== undefined && {
        kpiId: requireId(await kpiStore.findBy(tx, "name", kpi), `${path}/kpi`),
      }),
    });
  }
  return widgets;
}

function requireId(item: { readonly id: string } | undefined, path: string): string {
  if (!item) throw invalidField(path, "is not the name of an existing report or KPI");
  return item.id;
}
