/** The numbers of an e-mail, computed with the rights of one recipient. */
import { toFigure, type ReportAnswer } from "@millrace/client/chart";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import type { ReportRequest } from "#kernel/contributions/report-source.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Widget, WidgetData } from "../dashboards/dashboard.ts";
import { dashboards } from "../dashboards/operations.ts";
import { loadWidgetData } from "../dashboards/widget-data.ts";
import { reportClock } from "../reports/definition/period.ts";
import { type ReportInput, type ReportResult } from "../reports/report.ts";
import { reportStore } from "../reports/store.ts";
import type { StoredSchedule } from "./store.ts";

/** One report in an e-mail. */
export interface MailPart {
  readonly title: string;
  readonly kind: Widget["kind"];
  readonly status: WidgetData["status"];
  /** The reason for missing numbers. */
  readonly message?: string;
  readonly report?: ReportInput;
  readonly data?: unknown;
}

export interface MailSubject {
  readonly title: string;
  /** The page of the console that shows it. */
  readonly path: string;
  readonly parts: readonly MailPart[];
  readonly isEmpty: boolean;
}

const EVERYTHING = { x: 0, y: 0, w: 12, h: 4 };

/** Reads the report or dashboard of a schedule with the caller's rights; throws a 404 if it was deleted. */
export async function readSubject(
  request: ReportRequest,
  { reportId, dashboardId }: Pick<StoredSchedule, "reportId" | "dashboardId">,
): Promise<MailSubject> {
  const { platform, caller } = request;
  const partition = partitionOfCaller(caller);
  if (dashboardId === null) {
    const report = await platform.db.read(partition, (tx) => reportStore.find(tx, reportId ?? ""));
    if (!report) throw new Failure(NotFound, { detail: "The report was deleted." });
    const widget: Widget = {
      id: "report",
      title: report.name,
      kind: "report",
      reportId: report.id,
      layout: EVERYTHING,
    };
    const parts = await loadParts(request, [widget], undefined);
    return {
      title: report.name,
      path: `/reports?report=${report.id}`,
      parts,
      isEmpty: parts.every(isEmptyPart),
    };
  }
  const dashboard = await platform.db.read(partition, (tx) =>
    dashboards.store.find(tx, dashboardId),
  );
  if (!dashboard) throw new Failure(NotFound, { detail: "The dashboard was deleted." });
  const inOrder = dashboard.widgets.toSorted(
    ({ layout: one }, { layout: other }) => one.y - other.y || one.x - other.x,
  );
  const parts = await loadParts(request, inOrder, dashboard.period ?? undefined);
  return {
    title: dashboard.name,
    path: `/dashboards/${dashboard.id}`,
    parts,
    isEmpty: parts.every(isEmptyPart),
  };
}

async function loadParts(
  request: ReportRequest,
  widgets: readonly Widget[],
  period: { readonly from: string; readonly to?: string } | undefined,
): Promise<readonly MailPart[]> {
  const clock = await reportClock(request, undefined);
  const bar = { ...period, timezone: clock.timezone };
  const loaded = await loadWidgetData(request, widgets, { bar, clock, maxAgeS: 0 });
  return loaded.map(({ kind, status, data, name, report, error }, index) => ({
    title: widgets[index]?.title || (name ?? ""),
    kind,
    status,
    ...(error && { message: error.message }),
    ...(report && { report }),
    ...(data !== undefined && { data }),
  }));
}

/** The answer of a report's part. */
export function answerOf({ kind, status, data }: MailPart): ReportResult | undefined {
  // The data of a report widget.
  return kind === "report" && status === "ok" ? (data as ReportResult) : undefined;
}

/** The figure of a report, as in the console. */
export function figureOf(part: MailPart) {
  const answer = answerOf(part);
  return answer && toFigure(answer as ReportAnswer, part.report ?? {});
}

/** The KPI of a widget: its latest value, and its target. */
export interface KpiPart {
  readonly kpi: {
    readonly name: string;
    readonly target: number;
    readonly direction: "up" | "down";
    readonly unit: string | null;
  };
  readonly latest: { readonly value: number | null; readonly met: boolean | null } | null;
}

/**
 * Returns whether a part has no number other than zero, including failed parts, which alone are not worth an
 * e-mail.
 */
function isEmptyPart(part: MailPart): boolean {
  if (part.kind === "text") return true;
  // The data of a KPI widget.
  if (part.kind === "kpi") return !(part.data as KpiPart | undefined)?.latest?.value;
  const answer = answerOf(part);
  const values = answer?.columns.filter(({ role }) => role === "value") ?? [];
  return (answer?.rows ?? []).every((row) => values.every(({ name }) => !Number(row[name] ?? 0)));
}
