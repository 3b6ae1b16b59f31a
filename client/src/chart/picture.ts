/** Draws a complete chart as shapes, for images in e-mails. */
import { drawCourse, heatOf, SERIES_COLOURS, type Shape } from "./draw.ts";
import type { Figure } from "./figure.ts";
import { changeOf, formatChange, formatValue } from "./format.ts";

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly shapes: readonly Shape[];
  /** The number of omitted rows. */
  readonly left: number;
}

const COURSE_HEIGHT = 220;
const LEGEND_HEIGHT = 20;
const LEGEND_NAMES_MAX = 6;
const LEGEND_PX_MAX = 160;
const ROWS_MAX = 20;
const BAR_HEIGHT = 26;
const STEP_HEIGHT = 44;
const CELL_HEIGHT = 24;
const NAME_SHARE = 0.34;
const NUMBER_PX = 110;
const HEAD_PX = 56;
/** The approximate width of a letter. */
const LETTER_PX = 6.2;
const STRENGTHS = 8;

/** The image of a chart. Undefined if text or a table is better. */
export function drawPicture(figure: Figure, width: number): Picture | undefined {
  switch (figure.kind) {
    case "course":
      return figure.places.length === 0 ? undefined : courseWithLegend(figure, width);
    case "bars":
      return figure.bars.length === 0 ? undefined : drawBarRows(figure, width);
    case "funnel":
      return figure.steps.length === 0 ? undefined : drawSteps(figure, width);
    case "grid":
      return figure.look === "heat" ? drawHeat(figure, width) : undefined;
    case "number":
    case "table":
      return undefined;
  }
}

type Of<K extends Figure["kind"]> = Extract<Figure, { kind: K }>;

const label = (x: number, y: number, text: string, more: Shape["attributes"] = {}): Shape => ({
  tag: "text",
  attributes: { class: "chart-label", x, y, ...more },
  text,
});

function courseWithLegend(figure: Of<"course">, width: number): Picture {
  const { series } = figure;
  const top = series.length > 1 ? LEGEND_HEIGHT : 0;
  const size = { width, height: COURSE_HEIGHT };
  const shown = series.slice(0, LEGEND_NAMES_MAX);
  const each = Math.min(LEGEND_PX_MAX, width / Math.max(1, shown.length));
  const legend = shown.flatMap(({ name, isBefore }, n): Shape[] => {
    const colour = isBefore ? "before" : `series-${n % SERIES_COLOURS}`;
    const attributes = {
      class: `chart-bar ${colour}`,
      x: n * each,
      y: 3,
      width: 8,
      height: 8,
      rx: 2,
    };
    return [{ tag: "rect", attributes }, label(n * each + 13, 11, cut(name, each - 20))];
  });
  const course: Shape = {
    tag: "g",
    attributes: { transform: `translate(0 ${top})` },
    children: drawCourse(figure, size),
  };
  const shapes = [...(top > 0 ? legend : []), course];
  return { width, height: COURSE_HEIGHT + top, shapes, left: 0 };
}

function drawBarRows({ bars, style }: Of<"bars">, width: number): Picture {
  const shown = bars.slice(0, ROWS_MAX);
  const max = Math.max(0, ...bars.map(({ mark }) => Math.abs(mark.value ?? 0))) || 1;
  const from = Math.round(width * NAME_SHARE);
  const room = width - from - NUMBER_PX;
  const shapes = shown.flatMap(({ label: name, mark, before }, n): Shape[] => {
    const y = n * BAR_HEIGHT;
    const change = changeOf(mark.value, before?.value);
    const words =
      formatValue(mark.value, style) + (change === null ? "" : ` ${formatChange(change)}`);
    const long = Math.max(1, Math.round((Math.abs(mark.value ?? 0) / max) * room));
    const bar = { class: "chart-bar series-0", x: from, y: y + 8, width: long, height: 10, rx: 3 };
    return [
      label(0, y + 17, cut(name, from - 8), { class: "chart-name" }),
      { tag: "rect", attributes: bar },
      label(width, y + 17, words, { class: "chart-name", "text-anchor": "end" }),
    ];
  });
  return { width, height: shown.length * BAR_HEIGHT, shapes, left: bars.length - shown.length };
}

function drawSteps({ steps, style }: Of<"funnel">, width: number): Picture {
  const shapes = steps.flatMap(({ name, mark, share, stepShare }, n): Shape[] => {
    const y = n * STEP_HEIGHT + 16;
    const long = Math.max(2, Math.round((share ?? 0) * width));
    const box = { x: 0, y, height: 26, rx: 6 };
    const words = `${formatValue(mark.value, style)}  ${formatValue(share, { format: "percent" })}`;
    const goOn = `${formatValue(stepShare, { format: "percent" })} go on`;
    return [
      ...(stepShare === null ? [] : [label(12, y - 5, goOn)]),
      { tag: "rect", attributes: { ...box, class: "chart-ground", width } },
      { tag: "rect", attributes: { ...box, class: "chart-step", width: long } },
      label(12, y + 17, cut(name, width * 0.6), { class: "chart-name" }),
      label(width - 12, y + 17, words, { class: "chart-name", "text-anchor": "end" }),
    ];
  });
  return { width, height: steps.length * STEP_HEIGHT + 4, shapes, left: 0 };
}

function drawHeat({ rows, columns, cells }: Of<"grid">, width: number): Picture {
  const shown = rows.slice(0, ROWS_MAX);
  const max = Math.max(0, ...cells.flat().map((mark) => mark?.value ?? 0));
  const cell = (width - HEAD_PX) / Math.max(1, columns.length);
  const heads = columns.map((name, n) =>
    label(HEAD_PX + (n + 0.5) * cell, 12, cut(name.replace(":00", ""), cell), {
      "text-anchor": "middle",
    }),
  );
  const lines = shown.flatMap((name, row): Shape[] => [
    label(0, CELL_HEIGHT * (row + 1) + 10, cut(name, HEAD_PX)),
    ...columns.map((_, n): Shape => {
      const strength = Math.ceil(heatOf(cells[row]?.[n], max) * STRENGTHS);
      return {
        tag: "rect",
        attributes: {
          class: `chart-heat heat-${strength}`,
          x: Math.round((HEAD_PX + n * cell) * 10) / 10,
          y: CELL_HEIGHT * (row + 1) - 6,
          width: Math.max(1, Math.round((cell - 2) * 10) / 10),
          height: CELL_HEIGHT - 2,
          rx: 3,
        },
      };
    }),
  ]);
  const height = CELL_HEIGHT * (shown.length + 1);
  return { width, height, shapes: [...heads, ...lines], left: rows.length - shown.length };
}

/** Truncates a text to the approximate width. */
function cut(text: string, widthPx: number): string {
  const letters = Math.max(2, Math.floor(widthPx / LETTER_PX));
  return text.length <= letters ? text : `${text.slice(0, letters - 1)}…`;
}
