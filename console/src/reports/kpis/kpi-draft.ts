import type { ReportDraft } from "../../analytics/index.ts";
import type { Input, Schemas } from "../../data/api.ts";
import type { Times } from "../mail/times.ts";

export type Kpi = Schemas["ListedKpi"];

export interface KpiDraft {
  readonly name: string;
  /** Empty where it has a measure of its own. */
  readonly reportId: string;
  readonly report: ReportDraft;
  readonly last: string;
  readonly unit: "minutes" | "hours" | "days";
  readonly target: string;
  readonly direction: "up" | "down";
  readonly behind: string;
  readonly schedule: Times;
}

const START: ReportDraft = { source: { kind: "runs" } };

/** A KPI as it is edited. */
export function toKpiDraft(kpi: Kpi | undefined): KpiDraft {
  const { source, filter, ...measure } = kpi?.aggregate ?? {};
  const report: ReportDraft = source
    ? {
        source,
        ...(filter && { filter }),
        aggregates: [measure as NonNullable<ReportDraft["aggregates"]>[number]],
      }
    : START;
  return {
    name: kpi?.name ?? "",
    reportId: kpi?.reportId ?? "",
    report,
    last: kpi?.window ? String(kpi.window.last) : "",
    unit: kpi?.window?.unit ?? "days",
    target: kpi ? String(kpi.target) : "",
    direction: kpi?.direction ?? "up",
    behind: kpi?.unit ?? "",
    schedule: kpi?.schedule ?? { cron: "0 0 * * *", timezone: "UTC" },
  };
}

type NewKpi = NonNullable<Input<"kpis.create">["body"]>;

/** The body that saves it. */
export function toKpiBody(draft: KpiDraft): NewKpi {
  const { name, reportId, report, last, unit, target, direction, behind, schedule } = draft;
  const { fn, field, p } = report.aggregates?.[0] ?? { fn: "count" as const };
  const aggregate = {
    source: report.source,
    ...(report.filter && { filter: report.filter }),
    fn,
    ...(field !== undefined && { field }),
    ...(p !== undefined && { p }),
  };
  const { cron, timezone = "UTC" } = schedule;
  return {
    name,
    ...(reportId === "" ? { aggregate } : { reportId }),
    ...(Number(last) > 0 && { window: { last: Number(last), unit } }),
    target: Number(target.replace(",", ".")),
    direction,
    ...(behind !== "" && { unit: behind }),
    schedule: { cron, timezone },
  } as NewKpi;
}
