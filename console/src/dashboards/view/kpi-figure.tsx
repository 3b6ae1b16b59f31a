import { formatValue } from "@millrace/client/chart";
import { Sparkline } from "../../ui/display/chart.tsx";

interface KpiData {
  readonly kpi: {
    readonly name: string;
    readonly target: number;
    readonly direction: "up" | "down";
    readonly unit: string | null;
  };
  readonly latest: { readonly value: number | null; readonly met: boolean | null } | null;
  readonly history: readonly { readonly value: number | null }[];
}

/** A KPI: last value, target and trend. */
export function KpiFigure({ data }: { readonly data: unknown }) {
  const { kpi, latest, history } = data as KpiData;
  const style = { unit: kpi.unit ?? undefined };
  const values = history.flatMap(({ value }) => (value === null ? [] : [value])).toReversed();
  return (
    <div className={latest?.met === false ? "number-figure missed" : "number-figure"}>
      <span className="kpi-line">
        <span className="number-main">{formatValue(latest?.value, style, { short: true })}</span>
        {values.length > 1 && (
          <Sparkline values={values} label={`${kpi.name}: ${values.length} values`} />
        )}
      </span>
      <span className="number-notes">
        <span className={latest?.met === false ? "bad-words" : "ok-words"}>
          {latest?.met === false ? "Off target" : latest?.met === true ? "On target" : "Target"}{" "}
          <span className="muted">
            {kpi.direction === "up" ? "≥" : "≤"} {formatValue(kpi.target, style, { short: true })}
          </span>
        </span>
      </span>
    </div>
  );
}
