/** Generates an app for a report, or for the reports of a dashboard. */
import { type CallOperation, dataOfResponse } from "#kernel/operation/call-operation.ts";
import { type Scaffold, toSourceName } from "./scaffold-table.ts";

interface NamedReport {
  readonly id: string;
  readonly name: string;
}

interface SeenDashboard {
  readonly name: string;
  readonly widgets: readonly {
    readonly reportId?: string;
    readonly title: string;
    readonly text?: string;
  }[];
}

interface ReportsInput {
  readonly reportId: string | undefined;
  readonly dashboardId: string | undefined;
  readonly base: string;
}

export async function scaffoldReports(
  perform: CallOperation,
  { reportId, dashboardId, base }: ReportsInput,
): Promise<Scaffold> {
  const path = base === "" ? "/" : base;
  if (reportId !== undefined) {
    const report = await readReport(perform, reportId);
    const { source, chart } = toChart(report, 0);
    const page = { path, title: report.name, components: [chart] };
    return { name: report.name, pages: [page], dataSources: [source], leftOut: [] };
  }
  const params = { id: dashboardId };
  const dashboard = dataOfResponse(await perform("dashboards.get", { params })) as SeenDashboard;
  const reports = new Map<string, NamedReport>();
  for (const { reportId: reportOfTile } of dashboard.widgets) {
    if (reportOfTile !== undefined && !reports.has(reportOfTile))
      reports.set(reportOfTile, await readReport(perform, reportOfTile));
  }
  const charts = [...reports.values()].map(toChart);
  const texts = dashboard.widgets.flatMap(({ text }) =>
    text === undefined ? [] : [{ type: "markdown", text }],
  );
  const cells = charts.map(({ chart }) => ({ components: [chart] }));
  const rows = Array.from({ length: Math.ceil(cells.length / 2) }, (_, n) => ({
    type: "columns",
    columns: cells.slice(n * 2, n * 2 + 2),
  }));
  const page = { path, title: dashboard.name, components: [...texts, ...rows] };
  const dataSources = charts.map(({ source }) => source);
  return { name: dashboard.name, pages: [page], dataSources, leftOut: [] };
}

async function readReport(perform: CallOperation, id: string): Promise<NamedReport> {
  return dataOfResponse(await perform("reports.get", { params: { id } })) as NamedReport;
}

function toChart({ id, name }: NamedReport, at: number) {
  const source = toSourceName(`${name.toLowerCase()}_${at + 1}`);
  return {
    source: { name: source, kind: "report", config: { reportId: id } },
    chart: { type: "chart", dataSource: source, title: name },
  };
}
