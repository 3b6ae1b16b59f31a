/** Charts: from a report, or from rows with an x and a y field. Console, apps and mails share the drawing code. */
import { type ReportAnswer, type ReportShape, toFigure } from "@millrace/client/chart";
import { rowsOf } from "../sources/load-sources.ts";
import { loadedOf, type RenderContext, type RenderedComponent } from "./render-context.ts";
import { cellValue, toNumber, toText } from "./values.ts";

const POINTS_MAX = 100;

export function renderChart(ctx: RenderContext): RenderedComponent {
  const { props, component } = ctx;
  const loaded = loadedOf(ctx);
  const title = toText(props["title"]);
  const rows = rowsOf(loaded?.value);
  const { kind, x, y } = component;
  if (loaded?.report && (x === undefined || y === undefined)) {
    // As its operation declares it.
    const report = loaded.report.report as ReportShape;
    const chart = { ...report.chart, type: toText(kind ?? report.chart?.type ?? "bar") };
    const answer = loaded.report.answer as ReportAnswer;
    return { type: "chart", title, figure: toFigure(answer, { ...report, chart }) };
  }
  const cut = rows.length > POINTS_MAX && {
    notice: `Shows only the first ${POINTS_MAX} of ${rows.length} values.`,
  };
  const figure = toFigure(toAnswer(ctx, rows.slice(0, POINTS_MAX)), {
    chart: { type: toText(kind ?? "bar") },
  });
  return { type: "chart", title, figure, ...cut };
}

/** Rows as the answer of a report. */
function toAnswer({ component }: RenderContext, rows: readonly unknown[]): ReportAnswer {
  const { x = "", y = "", series } = component;
  const groups = [x, series].filter((name) => typeof name === "string");
  return {
    columns: [
      ...groups.map((name) => ({ name, type: "text", role: "group" as const })),
      { name: VALUE, type: "number", role: "value" as const },
    ],
    rows: rows.map((row) => ({
      ...Object.fromEntries(groups.map((name) => [name, toText(cellValue(row, name))])),
      [VALUE]: toNumber(cellValue(row, String(y))),
    })),
  };
}

/** No field has this name. */
const VALUE = "=";
