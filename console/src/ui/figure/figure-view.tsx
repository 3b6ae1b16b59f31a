/** The result of a report as a figure. Every number links to its rows. */
import "./figure.css";
import { changeOf, formatChange, formatValue } from "@millrace/client/chart";
import { ArrowDown, ArrowUp } from "lucide-react";
import { type FigureProps, Value } from "./value.tsx";
import { Course } from "./course.tsx";
import { Grid } from "./grid.tsx";
import { ResultTable } from "./result-table.tsx";

export function FigureView({ figure, ...rest }: FigureProps) {
  switch (figure.kind) {
    case "number":
      return <NumberFigure {...rest} figure={figure} />;
    case "course":
      return <Course {...rest} figure={figure} />;
    case "bars":
      return <BarsFigure {...rest} figure={figure} />;
    case "grid":
      return <Grid {...rest} figure={figure} />;
    case "funnel":
      return <FunnelFigure {...rest} figure={figure} />;
    case "table":
      return <ResultTable {...rest} figure={figure} />;
  }
}

function NumberFigure({ figure, label, onPick }: FigureProps<"number">) {
  const { mark, before, target, better, style } = figure;
  const change = changeOf(mark.value, before?.value);
  const isMet =
    target === undefined || mark.value === null
      ? undefined
      : better === "up"
        ? mark.value >= target
        : mark.value <= target;
  const isGood = change === null || change === 0 ? undefined : change > 0 === (better === "up");
  return (
    <div className={isMet === false ? "number-figure missed" : "number-figure"}>
      <Value
        className="number-main"
        words={formatValue(mark.value, style, { short: true })}
        about={label}
        {...{ mark, onPick }}
      />
      <div className="number-notes">
        {target !== undefined && (
          <span className={isMet === false ? "bad-words" : "ok-words"}>
            {isMet === undefined ? "Target" : isMet ? "On target" : "Off target"}{" "}
            <span className="muted">
              {better === "up" ? "≥" : "≤"} {formatValue(target, style, { short: true })}
            </span>
          </span>
        )}
        {change !== null && before && (
          <button
            type="button"
            className={`number-change ${isGood === undefined ? "" : isGood ? "ok-words" : "bad-words"}`}
            title="Show the rows of the previous period"
            disabled={!onPick}
            onClick={() => onPick?.(before)}
          >
            {change > 0 ? <ArrowUp /> : change < 0 ? <ArrowDown /> : null}
            {formatChange(change)}
            <span className="muted"> from {formatValue(before.value, style, { short: true })}</span>
          </button>
        )}
      </div>
    </div>
  );
}

function BarsFigure({ figure, label, onPick, onFilter }: FigureProps<"bars">) {
  const { bars, style } = figure;
  const max = Math.max(0, ...bars.map(({ mark }) => Math.abs(mark.value ?? 0))) || 1;
  if (bars.length === 0) return <p className="figure-none">No data in this period.</p>;
  return (
    <div className="figure-scroll" tabIndex={0} role="region" aria-label={label}>
      <table className="figure-bars">
        <caption className="hide">{label}</caption>
        <tbody>
          {bars.map(({ label: own, mark, before }, n) => {
            const change = changeOf(mark.value, before?.value);
            return (
              <tr key={n}>
                <th scope="row" className="cut">
                  {onFilter ? (
                    <button
                      type="button"
                      className="figure-name"
                      title={`Filter all charts by ${own}`}
                      onClick={() => onFilter(mark.group)}
                    >
                      {own}
                    </button>
                  ) : (
                    own
                  )}
                </th>
                <td className="figure-track" aria-hidden="true">
                  <span style={{ width: `${(Math.abs(mark.value ?? 0) / max) * 100}%` }} />
                </td>
                <td className="figure-number">
                  <Value words={formatValue(mark.value, style)} about={own} {...{ mark, onPick }} />
                  {change !== null && <small className="muted"> {formatChange(change)}</small>}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function FunnelFigure({ figure, label, onPick }: FigureProps<"funnel">) {
  const { steps, style } = figure;
  return (
    <ol className="figure-funnel" aria-label={label}>
      {steps.map(({ name, mark, share, stepShare }, n) => (
        <li key={n}>
          {stepShare !== null && (
            <span className="funnel-step muted">
              {formatValue(stepShare, { format: "percent" })} continue
            </span>
          )}
          <span className="funnel-line">
            <span
              className="funnel-bar"
              style={{ width: `${Math.max(0.5, (share ?? 0) * 100)}%` }}
            />
            <span className="funnel-words">
              <span className="cut">{name}</span>
              <span>
                <Value words={formatValue(mark.value, style)} about={name} {...{ mark, onPick }} />{" "}
                <small className="muted">{formatValue(share, { format: "percent" })}</small>
              </span>
            </span>
          </span>
        </li>
      ))}
    </ol>
  );
}
