import { formatNumber } from "./format.ts";
import type { ResolvedChart } from "./page-state.ts";
import { h, type VNode } from "./vnode.ts";

const COLOURS = 8;
const ROW_PX = 40;
const LINE_PX = 180;

type Point = ResolvedChart["points"][number];

/** A chart as SVG, with its numbers as its label and as a table. */
export function chartView({ kind, title, points }: ResolvedChart): VNode {
  return h(
    "figure",
    { class: "card chart" },
    title !== "" && h("figcaption", { class: "card-title" }, title),
    points.length === 0
      ? h("p", { class: "faint" }, "There is nothing here.")
      : drawChart(kind, title, points),
    points.length > 0 &&
      h(
        "details",
        { class: "numbers" },
        h("summary", {}, "Show the numbers"),
        h(
          "table",
          {},
          h(
            "tbody",
            {},
            points.map(({ label, value }) =>
              h(
                "tr",
                {},
                h("th", { scope: "row" }, label),
                h("td", { class: "end" }, formatNumber(value)),
              ),
            ),
          ),
        ),
      ),
  );
}

function drawChart(kind: string, title: string, points: readonly Point[]): VNode {
  const words = points.map(({ label, value }) => `${label}: ${formatNumber(value)}`).join(", ");
  const label = `${title === "" ? "Chart" : title}. ${words}`;
  if (kind === "pie") return drawPie(points, label);
  return kind === "line" ? drawLine(points, label) : drawBars(points, label);
}

/** Horizontal bars, which leave room for labels; lengths are shares of the width. */
function drawBars(points: readonly Point[], label: string): VNode {
  const most = Math.max(...points.map(({ value }) => Math.abs(value)), 0) || 1;
  const height = points.length * ROW_PX;
  return h(
    "svg",
    { role: "img", "aria-label": label, width: "100%", height, class: "bars" },
    points.flatMap((point, index) => {
      const y = index * ROW_PX;
      const share = (Math.abs(point.value) / most) * 100;
      return [
        h("text", { x: 0, y: y + 15 }, shorten(point.label)),
        h(
          "text",
          { x: "100%", y: y + 15, "text-anchor": "end", class: "value" },
          formatNumber(point.value),
        ),
        h("rect", { x: 0, y: y + 22, width: "100%", height: 8, rx: 4, class: "ground" }),
        h("rect", {
          x: 0,
          y: y + 22,
          width: `${share.toFixed(2)}%`,
          height: 8,
          rx: 4,
          class: "c0",
        }),
      ];
    }),
  );
}

/** Stretches the line to the width, but not its labels. */
function drawLine(points: readonly Point[], label: string): VNode {
  const values = points.map(({ value }) => value);
  const [low, high] = [Math.min(...values, 0), Math.max(...values, 0)];
  const span = high - low || 1;
  const at = points.map(({ value }, index) => {
    const x = points.length === 1 ? 50 : (index / (points.length - 1)) * 100;
    return `${x.toFixed(2)},${(100 - ((value - low) / span) * 100).toFixed(2)}`;
  });
  const [first, last] = [points[0], points.at(-1)];
  return h(
    "svg",
    { role: "img", "aria-label": label, width: "100%", height: LINE_PX + 44, class: "line" },
    h("text", { x: 0, y: 12, class: "value" }, formatNumber(high)),
    h(
      "svg",
      {
        x: 0,
        y: 20,
        width: "100%",
        height: LINE_PX,
        viewBox: "0 0 100 100",
        preserveAspectRatio: "none",
      },
      [0, 50, 100].map((y) => h("line", { x1: 0, x2: 100, y1: y, y2: y, class: "grid" })),
      h("polygon", { points: `0,100 ${at.join(" ")} 100,100`, class: "area" }),
      h("polyline", { points: at.join(" "), class: "stroke" }),
    ),
    h("text", { x: 0, y: LINE_PX + 38 }, shorten(first?.label ?? "")),
    points.length > 1 &&
      h("text", { x: "100%", y: LINE_PX + 38, "text-anchor": "end" }, shorten(last?.label ?? "")),
  );
}

function drawPie(points: readonly Point[], label: string): VNode {
  const whole = points.reduce((sum, { value }) => sum + Math.max(0, value), 0) || 1;
  let from = 0;
  const slices = points.map(({ value }, index) => {
    const share = Math.max(0, value) / whole;
    const start = from;
    from += share;
    // The slice is a dash of the ring.
    return h("circle", {
      cx: 21,
      cy: 21,
      r: 15.9155,
      pathLength: 100,
      "stroke-dasharray": `${(share * 100).toFixed(3)} ${(100 - share * 100).toFixed(3)}`,
      "stroke-dashoffset": (25 - start * 100).toFixed(3),
      class: `slice s${index % COLOURS}`,
    });
  });
  return h(
    "div",
    { class: "pie" },
    h(
      "svg",
      { role: "img", "aria-label": label, viewBox: "0 0 42 42", width: 160, height: 160 },
      slices,
    ),
    h(
      "ul",
      { class: "legend" },
      points.map((point, index) =>
        h(
          "li",
          {},
          h(
            "svg",
            { width: 12, height: 12, "aria-hidden": "true" },
            h("rect", { width: 12, height: 12, rx: 3, class: `c${index % COLOURS}` }),
          ),
          h("span", {}, point.label),
          h("span", { class: "value" }, formatNumber(point.value)),
        ),
      ),
    ),
  );
}

const LABEL_CHARACTERS = 32;

function shorten(label: string): string {
  return label.length > LABEL_CHARACTERS ? `${label.slice(0, LABEL_CHARACTERS - 1)}…` : label;
}
