/** Draws a series chart as a tree of shapes, for browsers and for images in e-mails. */
import type { Figure, Mark } from "./figure.ts";
import { formatValue, type NumberStyle } from "./format.ts";

export interface Shape {
  readonly tag: "g" | "line" | "path" | "rect" | "text" | "circle";
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly text?: string;
  readonly children?: readonly Shape[];
  /** The index of its category. */
  readonly place?: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export const SERIES_COLOURS = 6;
const LEFT_PX = 44;
const RIGHT_PX = 8;
const TOP_PX = 8;
const BOTTOM_PX = 22;
const LABEL_PX = 76;
const CHARACTER_PX = 6.5;
const LABEL_GAP_PX = 8;
/** The share of a label before its position. */
const SHARE_BEFORE = { start: 0, middle: 0.5, end: 1 };
const TICKS = 4;
const BAR_WIDTH_MAX = 44;
const DOTS_MAX = 40;

type Course = Extract<Figure, { kind: "course" }>;

/** Round axis ticks around all values. */
export function niceTicks(min: number, max: number, wanted = TICKS): readonly number[] {
  const [low, high] = [Math.min(0, min), Math.max(0, max)];
  const span = high - low;
  if (span === 0) return [0, 1];
  const rough = span / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((n) => n * power >= rough * 0.999) ?? 10) * power;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, n) => round((first + n) * step, 10));
}

/** The layout of a chart. */
export function planCourse({ places, series, shape }: Course, { width, height }: Size) {
  const values = series.flatMap(({ marks }) => marks.map(({ value }) => value ?? 0));
  const sums = places.map((_, at) =>
    series.reduce((sum, { marks, isBefore }) => sum + (isBefore ? 0 : (marks[at]?.value ?? 0)), 0),
  );
  const all = shape === "stacked" ? sums : values;
  const ticks = niceTicks(Math.min(0, ...all), Math.max(0, ...all));
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)];
  const inner = Math.max(1, width - LEFT_PX - RIGHT_PX);
  const isBar = shape === "bar" || shape === "stacked";
  const step = isBar ? inner / Math.max(1, places.length) : inner / Math.max(1, places.length - 1);
  const x = (at: number): number => LEFT_PX + (isBar ? (at + 0.5) * step : at * step);
  const y = (value: number): number =>
    round(TOP_PX + (1 - (value - low) / (high - low)) * (height - TOP_PX - BOTTOM_PX), 1);
  return { ticks, x, y, step, inner, isBar, left: LEFT_PX, right: width - RIGHT_PX };
}

/** The shapes of a chart. */
export function drawCourse(figure: Course, size: Size): readonly Shape[] {
  const plan = planCourse(figure, size);
  return [
    ...drawAxis(figure, plan, size),
    ...(plan.isBar ? drawBars(figure, plan) : []),
    ...drawLines(figure, plan),
  ];
}

type Plan = ReturnType<typeof planCourse>;

function drawAxis({ places, style }: Course, plan: Plan, { height }: Size): readonly Shape[] {
  const every = Math.max(1, Math.ceil((places.length * LABEL_PX) / plan.inner));
  const ticks = plan.ticks.flatMap((tick): Shape[] => [
    {
      tag: "line",
      attributes: {
        class: "chart-rule",
        x1: plan.left,
        x2: plan.right,
        y1: plan.y(tick),
        y2: plan.y(tick),
      },
    },
    {
      tag: "text",
      attributes: {
        class: "chart-label",
        x: plan.left - 6,
        y: plan.y(tick) + 4,
        "text-anchor": "end",
      },
      text: tickLabel(tick, style),
    },
  ]);
  // Labels at both ends stay inside the image, and therefore extend further towards their neighbours.
  let takenTo = -Infinity;
  const labels = places.flatMap((text, at): Shape[] => {
    if (at % every !== 0) return [];
    const anchor = plan.isBar ? "middle" : anchorAt(at, places.length);
    const length = text.length * CHARACTER_PX;
    const from = plan.x(at) - length * SHARE_BEFORE[anchor];
    if (from < takenTo) return [];
    takenTo = from + length + LABEL_GAP_PX;
    return [
      {
        tag: "text",
        attributes: {
          class: "chart-label",
          x: round(plan.x(at), 1),
          y: height - 6,
          "text-anchor": anchor,
        },
        text,
      },
    ];
  });
  return [...ticks, ...labels];
}

function anchorAt(at: number, count: number): keyof typeof SHARE_BEFORE {
  if (at === 0) return "start";
  return at === count - 1 ? "end" : "middle";
}

function tickLabel(tick: number, { format }: NumberStyle): string {
  return formatValue(tick, { format }, { short: true });
}

function drawBars({ places, series, shape }: Course, plan: Plan): readonly Shape[] {
  const bars = series.filter(({ isLine }) => isLine !== true);
  const beside = shape === "stacked" ? 1 : Math.max(1, bars.length);
  const width = Math.max(1, Math.min(BAR_WIDTH_MAX, (plan.step * 0.72) / beside));
  return places.flatMap((_, at) => {
    let up = 0;
    return bars.flatMap(({ marks, isBefore }, n): Shape[] => {
      const value = marks[at]?.value ?? 0;
      const from = shape === "stacked" ? up : 0;
      if (shape === "stacked") up += value;
      const [top, bottom] = [
        plan.y(Math.max(from, from + value)),
        plan.y(Math.min(from, from + value)),
      ];
      const offset = shape === "stacked" ? -width / 2 : (n - beside / 2) * width;
      return [
        {
          tag: "rect",
          place: at,
          attributes: {
            class: isBefore ? "chart-bar before" : `chart-bar series-${n % SERIES_COLOURS}`,
            x: round(plan.x(at) + offset + 0.5, 1),
            y: top,
            width: Math.max(1, round(width - 1, 1)),
            height: Math.max(0, round(bottom - top, 1)),
            rx: 1.5,
          },
        },
      ];
    });
  });
}

function drawLines({ series, shape, places }: Course, plan: Plan): readonly Shape[] {
  const isArea = shape === "area" && series.filter(({ isBefore }) => !isBefore).length === 1;
  return series.toReversed().flatMap(({ marks, isBefore, isLine }, back): Shape[] => {
    // In a bar chart, a series is only a line if it is marked as one.
    if (plan.isBar && isLine !== true) return [];
    const n = series.length - 1 - back;
    const name = isBefore ? "before" : `series-${n % SERIES_COLOURS}`;
    const points = marks.flatMap(({ value }, at): [number, number][] =>
      value === null ? [] : [[round(plan.x(at), 1), plan.y(value)]],
    );
    if (points.length === 0) return [];
    const line = points.map((point) => point.join(" ")).join("L");
    const [[first] = [0], [last] = [0]] = [points[0], points.at(-1)];
    const ground = plan.y(0);
    return [
      ...(isArea && !isBefore
        ? [
            {
              tag: "path" as const,
              attributes: {
                class: `chart-area ${name}`,
                d: `M${line}L${last} ${ground}L${first} ${ground}Z`,
              },
            },
          ]
        : []),
      { tag: "path", attributes: { class: `chart-line ${name}`, d: `M${line}` } },
      ...(places.length <= DOTS_MAX && !isBefore ? points.map(drawDot(name)) : []),
    ];
  });
}

const drawDot =
  (name: string) =>
  ([cx, cy]: readonly [number, number], at: number): Shape => ({
    tag: "circle",
    place: at,
    attributes: { class: `chart-dot ${name}`, cx, cy, r: 2.5 },
  });

/** The intensity of a heat map cell, from 0 to 1. */
export function heatOf(mark: Mark | undefined, max: number): number {
  return max <= 0 ? 0 : Math.max(0, (mark?.value ?? 0) / max);
}

function round(value: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}
