import "./chart.css";
import { useId } from "react";
import { type Tone } from "../state.tsx";

const WIDTH = 96;
const HEIGHT = 24;

/** Returns the corners of a line through values, within a box. */
export function linePoints(
  values: readonly number[],
  width: number,
  height: number,
): readonly (readonly [number, number])[] {
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const span = max - min;
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  return values.map((value, n) => [
    Math.round(n * step * 10) / 10,
    Math.round((span === 0 ? height / 2 : height - ((value - min) / span) * height) * 10) / 10,
  ]);
}

/** A small line chart. `label` describes it: "Runs a day: 3 to 41, now 12". */
export function Sparkline({
  values,
  label,
}: {
  readonly values: readonly number[];
  readonly label: string;
}) {
  const id = useId();
  if (values.length === 0) return <span className="muted">no data</span>;
  const points = linePoints(values, WIDTH - 4, HEIGHT - 4).map(([x, y]) => [x + 2, y + 2] as const);
  const line = points.map((point) => point.join(" ")).join("L");
  const [endX = 0, endY = 0] = points.at(-1) ?? [];
  return (
    <svg className="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <defs>
        <linearGradient id={id} x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" className="spark-top" />
          <stop offset="1" className="spark-bottom" />
        </linearGradient>
      </defs>
      <path d={`M${line}L${WIDTH - 2} ${HEIGHT}L2 ${HEIGHT}Z`} fill={`url(#${id})`} />
      <path d={`M${line}`} className="spark-line" />
      <circle cx={endX} cy={endY} r="2" className="spark-end" />
    </svg>
  );
}

export interface BarItem {
  readonly label: string;
  readonly value: number;
  readonly tone?: Tone;
}

/** Small bars, such as the last runs of a workflow: the height is the duration, the colour the status. */
export function SparkBars({
  items,
  label,
}: {
  readonly items: readonly BarItem[];
  readonly label: string;
}) {
  const max = Math.max(1, ...items.map(({ value }) => value));
  const step = WIDTH / Math.max(1, items.length);
  return (
    <svg className="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      {items.map(({ label: own, value, tone = "idle" }, n) => {
        const height = Math.max(3, (value / max) * HEIGHT);
        return (
          <rect
            key={n}
            className={`spark-bar ${tone}`}
            x={n * step + 0.5}
            y={HEIGHT - height}
            width={Math.max(1, step - 1.5)}
            height={height}
            rx="1"
          >
            <title>{own}</title>
          </rect>
        );
      })}
    </svg>
  );
}

/** Bars with names and numbers; a table for screen readers. */
export function Bars(props: {
  readonly label: string;
  readonly items: readonly BarItem[];
  readonly format?: (value: number) => string;
}) {
  const { label, items, format = (value) => value.toLocaleString("en") } = props;
  const max = Math.max(1, ...items.map(({ value }) => value));
  return (
    <table className="bars">
      <caption className="hide">{label}</caption>
      <tbody>
        {items.map(({ label: own, value, tone = "info" }) => (
          <tr key={own}>
            <th scope="row" className="cut">
              {own}
            </th>
            <td className="bars-track">
              <span className={`bars-bar ${tone}`} style={{ width: `${(value / max) * 100}%` }} />
            </td>
            <td className="bars-value">{format(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
