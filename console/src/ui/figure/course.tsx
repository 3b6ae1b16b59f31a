import {
  drawCourse,
  formatValue,
  planCourse,
  SERIES_MAX,
  type Shape,
} from "@millrace/client/chart";
import { createElement, useState } from "react";
import { useSize } from "./size.ts";
import { type FigureProps, Value } from "./value.tsx";

/** A chart along an axis, with a table of the same data for everyone. */
export function Course({ figure, label, onPick }: FigureProps<"course">) {
  const { box, width, height } = useSize<HTMLDivElement>();
  const [at, setAt] = useState<number>();
  const { places, series, style, omitted } = figure;
  if (places.length === 0) return <p className="figure-none">No data in this period.</p>;
  const plan = planCourse(figure, { width, height });
  const half = plan.step / 2;
  const pick = (place: number): void => {
    const { group, measure } = series[0]?.marks[place] ?? {};
    if (!group || measure === undefined) return;
    const [first] = Object.keys(group);
    // All rows at a point, of all series.
    const whole = series.length > 1 && first !== undefined ? { [first]: group[first] } : group;
    onPick?.({ value: null, group: whole, measure });
  };
  return (
    <figure className="figure-course">
      {series.length > 1 && (
        <ul className="figure-legend" aria-hidden="true">
          {series.slice(0, SERIES_MAX).map(({ name, isBefore }, n) => (
            <li key={n} className={isBefore ? "before" : `series-${n % 6}`}>
              {name}
            </li>
          ))}
        </ul>
      )}
      <div className="figure-canvas" ref={box} onPointerLeave={() => setAt(undefined)}>
        <svg
          width={width}
          height={height}
          role="img"
          aria-label={`${label}. The numbers are below.`}
        >
          {drawCourse(figure, { width, height }).map(renderShape)}
          {at !== undefined && (
            <line
              className="chart-cursor"
              x1={plan.x(at)}
              x2={plan.x(at)}
              y1={8}
              y2={height - 22}
            />
          )}
          {places.map((_, place) => (
            <rect
              key={place}
              className={onPick ? "chart-hit picks" : "chart-hit"}
              x={plan.x(place) - half}
              y={0}
              width={Math.max(1, plan.step)}
              height={height}
              onPointerEnter={() => setAt(place)}
              onClick={onPick && (() => pick(place))}
            />
          ))}
        </svg>
        {at !== undefined && (
          <div
            className="figure-tip"
            style={
              plan.x(at) > width / 2
                ? { right: width - plan.x(at) + 10 }
                : { left: plan.x(at) + 10 }
            }
          >
            <b>{places[at]}</b>
            {series.slice(0, SERIES_MAX).map(({ name, marks, isBefore }, n) => (
              <span key={n} className={isBefore ? "before" : `series-${n % 6}`}>
                {name} <b>{formatValue(marks[at]?.value, style)}</b>
              </span>
            ))}
          </div>
        )}
      </div>
      {omitted !== undefined && <p className="figure-omitted muted">{omitted}</p>}
      <CourseNumbers {...{ figure, label, onPick }} />
    </figure>
  );
}

function CourseNumbers({ figure, label, onPick }: FigureProps<"course">) {
  const { places, series, style } = figure;
  return (
    <details className="figure-numbers">
      <summary>Numbers</summary>
      <table>
        <caption className="hide">{label}</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ name }, n) => (
              <th key={n} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {places.map((place, row) => (
            <tr key={row}>
              <th scope="row">{place}</th>
              {series.map(({ marks, name }, n) => {
                const mark = marks[row];
                return (
                  <td key={n}>
                    {mark && (
                      <Value
                        words={formatValue(mark.value, style)}
                        about={`${name}, ${place}`}
                        {...{ mark, onPick }}
                      />
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

const NAMES: Readonly<Record<string, string>> = { class: "className", "text-anchor": "textAnchor" };

function renderShape({ tag, attributes, text }: Shape, key: number) {
  const named = Object.entries(attributes).map(([name, value]) => [NAMES[name] ?? name, value]);
  return createElement(tag, { key, ...Object.fromEntries(named) }, text);
}
