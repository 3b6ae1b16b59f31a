import "./course-chart.css";
import type { Figure } from "@millrace/client/chart";
import { FigureView } from "../figure/figure-view.tsx";

export interface CourseSeries {
  readonly name: string;
  readonly values: readonly number[];
  /** Bars are drawn side by side, with lines over them. */
  readonly shape: "bar" | "line";
}

interface CourseChartProps {
  readonly label: string;
  readonly places: readonly string[];
  readonly series: readonly CourseSeries[];
  /** Opens the data of a point. */
  readonly onPick?: (place: number) => void;
}

/** Shows a time series like report charts, with axes, a legend and a data table. */
export function CourseChart({ label, places, series, onPick }: CourseChartProps) {
  return (
    <div className="course-chart">
      <FigureView
        figure={toFigure(places, series)}
        label={label}
        {...(onPick && { onPick: ({ group }) => onPick(Number(group["place"])) })}
      />
    </div>
  );
}

function toFigure(places: readonly string[], series: readonly CourseSeries[]): Figure {
  const isBar = series.some(({ shape }) => shape === "bar");
  return {
    kind: "course",
    shape: isBar ? "bar" : "line",
    style: {},
    places,
    series: series.map(({ name, values, shape }) => ({
      name,
      isBefore: false,
      ...(isBar && shape === "line" && { isLine: true as const }),
      marks: values.map((value, place) => ({ value, group: { place }, measure: name })),
    })),
  };
}
