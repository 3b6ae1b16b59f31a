import Type, { type Static } from "typebox";
import { failure } from "#kernel/failure.ts";
import { id, line, nullable, object, patch, text, Time } from "#kernel/schema.ts";
import { KpiId } from "../kpis/kpi.ts";
import { ReportId } from "../reports/report.ts";

export const DASHBOARDS_MAX = 1_000;
const WIDGETS_MAX = 50;

export const DashboardId = id("dsh");

const place = Type.Integer({ minimum: 0, maximum: 1_000 });
const extent = Type.Integer({ minimum: 1, maximum: 1_000 });

const about = {
  title: text(200),
  kind: Type.Enum(["report", "kpi", "text"]),
  reportId: Type.Optional(ReportId),
  kpiId: Type.Optional(KpiId),
  text: Type.Optional(text(20_000, "Markdown")),
  layout: object({ x: place, y: place, w: extent, h: extent }),
  refreshSeconds: Type.Optional(Type.Integer({ minimum: 5, maximum: 86_400 })),
};
const WidgetId = Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" });

const NewWidget = object({ id: Type.Optional(WidgetId), ...about }, { title: "NewWidget" });
export type NewWidget = Static<typeof NewWidget>;
export const Widget = object({ id: WidgetId, ...about }, { title: "Widget" });
export type Widget = Static<typeof Widget>;

/** What a person says of a dashboard. */
export const fields = {
  name: line(200),
  description: text(2_000),
  widgets: Type.Array(NewWidget, { maxItems: WIDGETS_MAX }),
};
export const NewDashboard = object(
  {
    name: fields.name,
    description: Type.Optional(fields.description),
    widgets: Type.Optional(fields.widgets),
  },
  { title: "NewDashboard" },
);
export const DashboardChange = patch(fields);

export const Dashboard = Type.Object(
  {
    id: DashboardId,
    name: fields.name,
    description: fields.description,
    widgets: Type.Array(Widget),
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "Dashboard" },
);
export type Dashboard = Static<typeof Dashboard> & { readonly revision: number };

/** What all widgets show. */
export const DashboardData = Type.Object(
  {
    widgets: Type.Array(
      Type.Object({
        id: Type.String(),
        kind: about.kind,
        status: Type.Enum(["ok", "failed"]),
        data: Type.Optional(
          Type.Unknown({
            description:
              "Of a report what it answers; of a KPI `{ kpi, latest, history }`; of a text `{ text }`",
          }),
        ),
        error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
        at: nullable(Time),
        cached: Type.Boolean(),
      }),
    ),
  },
  { title: "DashboardData" },
);
export type WidgetData = Static<typeof DashboardData>["widgets"][number];

export const DashboardNameTaken = failure(
  "dashboard_name_taken",
  409,
  "Another dashboard has this name.",
  "dashboards_name",
);
export const TooManyDashboards = failure(
  "too_many_dashboards",
  409,
  "The environment has as many dashboards as it may.",
);
