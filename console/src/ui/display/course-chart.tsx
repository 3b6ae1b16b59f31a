import "./course-chart.css";
import { useEffect, useRef, useState } from "react";
import { toLabelled, toSpanTicks } from "./axis.ts";

export interface CourseSeries {
  readonly name: string;
  readonly values: readonly number[];
  /** Bars stand side by side, a line goes over them. */
  readonly shape: "bar" | "line";
}

interface CourseChartProps {
  readonly label: string;
  readonly places: readonly string[];
  readonly series: readonly CourseSeries[];
  /** Opens what is behind a place. */
  readonly onPick?: (place: number) => void;
}

const HEIGHT = 220;
const LEFT = 36;
const BOTTOM = 22;
const TOP = 8;

/** Numbers over time, with axes, a legend, and the same as a table. */
export function CourseChart({ label, places, series, onPick }: CourseChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const all = series.flatMap(({ values }) => values);
  const ticks = toSpanTicks(Math.min(0, ...all), Math.max(0, ...all));
  const [bottom = 0, top = 1] = [ticks[0], ticks.at(-1)];
  const inner = Math.max(1, width - LEFT - 4);
  const step = inner / Math.max(1, places.length);
  const y = (value: number): number =>
    TOP + (1 - (value - bottom) / (top - bottom)) * (HEIGHT - TOP - BOTTOM);
  const bars = series.filter(({ shape }) => shape === "bar");
  const barWidth = Math.max(1, Math.min(18, (step * 0.7) / Math.max(1, bars.length)));
  const labelled = new Set(toLabelled(places.length, inner));
  return (
    <figure className="course" ref={box}>
      <ul className="course-legend" aria-hidden="true">
        {series.map(({ name, shape }, n) => (
          <li key={name} className={`series-${n} ${shape}`}>
            {name}
          </li>
        ))}
      </ul>
      <svg width={width} height={HEIGHT} role="img" aria-label={label}>
        {ticks.map((tick) => (
          <g key={tick} className="course-tick">
            <line x1={LEFT} x2={width - 4} y1={y(tick)} y2={y(tick)} />
            <text x={LEFT - 6} y={y(tick) + 4} textAnchor="end">
              {tick.toLocaleString("en", { notation: tick < 10_000 ? "standard" : "compact" })}
            </text>
          </g>
        ))}
        {places.map((place, at) => (
          <g key={place} className="course-place">
            {onPick && (
              <rect
                className="course-hit"
                x={LEFT + at * step}
                y={TOP}
                width={step}
                height={HEIGHT - TOP - BOTTOM}
                onClick={() => onPick(at)}
              >
                <title>
                  {`${place}: ${series.map(({ name, values }) => `${name} ${values[at] ?? 0}`).join(", ")}`}
                </title>
              </rect>
            )}
            {bars.map(({ name, values }, n) => (
              <rect
                key={name}
                className={`course-bar series-${series.findIndex((one) => one.name === name)}`}
                x={LEFT + at * step + step / 2 + (n - bars.length / 2) * barWidth + 0.5}
                y={Math.min(y(0), y(values[at] ?? 0))}
                width={Math.max(1, barWidth - 1)}
                height={Math.abs(y(0) - y(values[at] ?? 0))}
                rx="1.5"
              />
            ))}
            {labelled.has(at) && (
              <text className="course-label" x={LEFT + at * step + step / 2} y={HEIGHT - 6}>
                {place}
              </text>
            )}
          </g>
        ))}
        {series.map(
          ({ name, shape, values }, n) =>
            shape === "line" && (
              <polyline
                key={name}
                className={`course-line series-${n}`}
                points={values
                  .map((value, at) => `${LEFT + at * step + step / 2},${y(value)}`)
                  .join(" ")}
              />
            ),
        )}
      </svg>
      <CourseTable {...{ label, places, series, onPick }} />
    </figure>
  );
}

function CourseTable({ label, places, series, onPick }: CourseChartProps) {
  return (
    <details className="course-table">
      <summary>Show the numbers</summary>
      <table>
        <caption className="hide">{label}</caption>
        <thead>
          <tr>
            <th scope="col">When</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {places.map((place, at) => (
            <tr key={place}>
              <th scope="row">
                {onPick ? (
                  <button type="button" className="figure-link" onClick={() => onPick(at)}>
                    {place}
                  </button>
                ) : (
                  place
                )}
              </th>
              {series.map(({ name, values }) => (
                <td key={name}>{(values[at] ?? 0).toLocaleString("en")}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

const FIRST_WIDTH = 640;

function useWidth(box: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(FIRST_WIDTH);
  useEffect(() => {
    const { current } = box;
    if (!current) return undefined;
    const observer = new ResizeObserver(() => setWidth(current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, [box]);
  return width;
}
