import type { ReportDraft } from "../../analytics/index.ts";
import type { Input, Schemas } from "../../data/api.ts";
import type { Times } from "../../ui/form/pickers/times.ts";

export type Kpi = Schemas["ListedKpi"];

export interface KpiDraft {
  readonly name: string;
  /** Empty for a KPI with its own report. */
  readonly measure: string;
  readonly report: ReportDraft;
  /** All current tickets, if the number is empty. */
  readonly window: { readonly last: number | null; readonly unit: "minutes" | "hours" | "days" };
  readonly target: number | null;
  readonly direction: "up" | "down";
  /** The unit after the number. */
  readonly unit: string;
  readonly schedule: Times;
}

const START: ReportDraft = { source: { kind: "runs" } };

/** Converts a KPI to an editable draft. */
export function toKpiDraft(kpi: Kpi | undefined): KpiDraft {
  const { source, filter, ...aggregate } = kpi?.aggregate ?? {};
  const report: ReportDraft = source
    ? {
        source,
        ...(filter && { filter }),
        aggregates: [aggregate as NonNullable<ReportDraft["aggregates"]>[number]],
      }
    : START;
  return {
    name: kpi?.name ?? "",
    measure: kpi?.reportId ?? "",
    report,
    window: kpi?.window ?? { last: null, unit: "days" },
    target: kpi?.target ?? null,
    direction: kpi?.direction ?? "up",
    unit: kpi?.unit ?? "",
    schedule: kpi?.schedule ?? { cron: "0 0 * * *", timezone: "UTC" },
  };
}

type NewKpi = NonNullable<Input<"kpis.create">["body"]>;

/** Returns the request body; updates clear window and unit with null. */
export function toKpiBody(draft: KpiDraft, isNew: boolean): NewKpi {
  const { name, measure, report, window, target, direction, unit, schedule } = draft;
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
    ...(measure === "" ? { aggregate } : { reportId: measure }),
    ...(window.last ? { window } : !isNew && { window: null }),
    target,
    direction,
    ...(unit === "" ? !isNew && { unit: null } : { unit }),
    schedule: { cron, timezone },
  } as NewKpi;
}
