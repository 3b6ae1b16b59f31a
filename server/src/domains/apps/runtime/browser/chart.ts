/** Figures of reports, drawn as in the console and e-mails, with their numbers as a table. */
import { drawCourse, type Figure, formatValue, type Shape } from "@millrace/client/chart";
import type { ResolvedChart } from "./page-state.ts";
import { h, type VNode } from "#kernel/html/vnode.ts";

const WIDTH_PX = 640;
const HEIGHT_PX = 220;
const COLOURS = 6;

/** A chart with its data as a table. `width` is the measured width, once it is known. */
export function chartView({ title, figure }: ResolvedChart, id: string, width = WIDTH_PX): VNode {
  const isEmpty = numbersOf(figure).length === 0;
  return h(
    "figure",
    { class: "card chart" },
    title !== "" && h("figcaption", { class: "card-title" }, title),
    isEmpty
      ? h("p", { class: "faint" }, "No data")
      : h("div", { class: "canvas", "data-chart": id }, drawFigure(figure, title, width)),
    !isEmpty && figure.kind !== "number" && numbersView(figure),
  );
}

function drawFigure(figure: Figure, title: string, width: number): readonly VNode[] {
  const label = `${title === "" ? "Chart" : title}. ${spellNumbers(figure)}`;
  switch (figure.kind) {
    case "number":
      return [
        h("p", { class: "number" }, formatValue(figure.mark.value, figure.style, { short: true })),
      ];
    case "course":
      return drawLines(figure, label, width);
    case "bars":
      return [
        drawBars(
          figure.bars.map((bar) => [bar.label, bar.mark.value] as const),
          figure,
          label,
        ),
      ];
    case "funnel":
      return [
        drawBars(
          figure.steps.map((step) => [step.name, step.mark.value] as const),
          figure,
          label,
        ),
      ];
    case "grid":
    case "table":
      return [];
  }
}

type Course = Extract<Figure, { kind: "course" }>;

function drawLines(figure: Course, label: string, width: number): readonly VNode[] {
  const size = { width, height: HEIGHT_PX };
  const svg = h(
    "svg",
    { role: "img", "aria-label": label, ...size },
    drawCourse(figure, size).map(shapeView),
  );
  if (figure.series.length < 2) return [svg];
  const keys = figure.series.map(({ name, isBefore }, n) =>
    h("li", { class: isBefore ? "before" : `series-${n % COLOURS}` }, name),
  );
  return [h("ul", { class: "keys", "aria-hidden": "true" }, keys), svg];
}

function shapeView({ tag, attributes, text, children = [] }: Shape): VNode {
  return h(tag, attributes, text, children.map(shapeView));
}

/** Horizontal bars, which leave room for labels; lengths are shares of the width. */
function drawBars(
  bars: readonly (readonly [string, number | null])[],
  { style }: Figure,
  label: string,
): VNode {
  const most = Math.max(...bars.map(([, value]) => Math.abs(value ?? 0)), 0) || 1;
  return h(
    "div",
    { class: "bars", role: "img", "aria-label": label },
    bars.map(([name, value]) => {
      const share = ((Math.abs(value ?? 0) / most) * 100).toFixed(2);
      return h(
        "div",
        { class: "bar-line" },
        h("span", { class: "bar-name" }, name === "" ? "None" : name),
        h(
          "svg",
          { class: "bar-track", width: "100%", height: 10, "aria-hidden": "true" },
          h("rect", { width: "100%", height: 10, rx: 5, class: "ground" }),
          h("rect", { width: `${share}%`, height: 10, rx: 5, class: "chart-bar series-0" }),
        ),
        h("span", { class: "bar-value" }, formatValue(value, style, { short: true })),
      );
    }),
  );
}

const SPOKEN_MAX = 12;

/** Describes the numbers as text, if there are few enough to read aloud. */
function spellNumbers(figure: Figure): string {
  const rows = numbersOf(figure);
  if (rows.length > SPOKEN_MAX) return "The values are shown below.";
  return rows
    .map(([label, ...values]) => {
      const words = values.map((value) => formatValue(value, figure.style)).join(" and ");
      return `${label === "" ? "None" : label}: ${words}`;
    })
    .join(", ");
}

type NumberRow = readonly [string, ...(number | null)[]];

/** The numbers of a figure with their labels. */
function numbersOf(figure: Figure): readonly NumberRow[] {
  switch (figure.kind) {
    case "number":
      return [["", figure.mark.value]];
    case "course":
      return figure.places.map((place, at) => [
        place,
        ...figure.series.map(({ marks }) => marks[at]?.value ?? null),
      ]);
    case "bars":
      return figure.bars.map(({ label, mark }) => [label, mark.value]);
    case "funnel":
      return figure.steps.map(({ name, mark }) => [name, mark.value]);
    case "grid":
      return figure.rows.map((row, at) => [
        row,
        ...(figure.cells[at] ?? []).map((mark) => mark?.value ?? null),
      ]);
    case "table":
      return figure.rows.map((row) => {
        const [first, ...rest] = figure.columns.map(({ name }) => row[name]);
        return [
          typeof first === "string" ? first : JSON.stringify(first ?? ""),
          ...rest.map((value) => Number(value ?? 0)),
        ];
      });
  }
}

function headsOf(figure: Figure): readonly string[] {
  if (figure.kind === "course" && figure.series.length > 1)
    return ["", ...figure.series.map(({ name }) => name)];
  if (figure.kind === "grid") return ["", ...figure.columns];
  return figure.kind === "table" ? figure.columns.map(({ name }) => name) : [];
}

function numbersView(figure: Figure): VNode {
  const heads = headsOf(figure);
  const table = h(
    "table",
    {},
    heads.length > 0 &&
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          heads.map((name) => h("th", { scope: "col" }, name)),
        ),
      ),
    h(
      "tbody",
      {},
      numbersOf(figure).map(([label, ...values]) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, label === "" ? "None" : label),
          values.map((value) => h("td", { class: "end" }, formatValue(value, figure.style))),
        ),
      ),
    ),
  );
  if (figure.kind === "grid" || figure.kind === "table")
    return h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Numbers" },
      table,
    );
  return h("details", { class: "numbers" }, h("summary", {}, "Show values"), table);
}
