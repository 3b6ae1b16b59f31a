import { type ReportAnswer, toFigure } from "@millrace/client/chart";
import { expect, test } from "vitest";
import { drawChart } from "./draw.ts";

const answerOf = (groups: readonly string[], rows: ReportAnswer["rows"]): ReportAnswer => ({
  columns: [
    ...groups.map((name) => ({ name, type: "text", role: "group" as const })),
    { name: "count", type: "number", role: "value" as const },
  ],
  rows,
});

test("every name and number of groups can be drawn as an image", async () => {
  const names = ["\u0000\u0001\u001b\uffff", "\ud800", "</svg>&<", "M".repeat(500_000), "漢"];
  const rows = names.map((name, at) => ({ name, count: at % 2 === 0 ? at : Number.NaN }));
  for (const type of ["bar", "line"]) {
    const figure = toFigure(answerOf(["name"], rows), { chart: { type } });
    expect((await drawChart(figure))?.png.length).toBeGreaterThan(0);
  }
  const many = Array.from({ length: 10_000 }, (_, at) => ({ a: `a${at}`, b: `b${at}`, count: at }));
  for (const type of ["stacked", "heat", "pivot", "line"]) {
    const figure = toFigure(answerOf(["a", "b"], many), { chart: { type } });
    expect(figure).toMatchObject({ kind: "table", rows: { length: many.length } });
  }
});

test("a chart draws its largest groups and reports how many are omitted", () => {
  const cells = Array.from({ length: 15 }, (_, at) =>
    ["May", "June"].map((month) => ({ month, asset: `a${at}`, count: at })),
  ).flat();
  const answer = answerOf(["month", "asset"], cells);
  const figure = toFigure(answer, { chart: { type: "stacked" } });
  if (figure.kind !== "course") throw new Error("It is not drawn as a course.");
  expect(figure.series.map(({ name }) => name)).toEqual(
    Array.from({ length: 12 }, (_, at) => `a${at + 3}`),
  );
  expect(figure.omitted).toBe("Left out: 3 smaller groups.");
  const cut = toFigure({ ...answer, truncated: true }, { chart: { type: "stacked" } });
  expect(cut).toMatchObject({
    omitted: "Left out: 3 smaller groups and everything after the first 30 values.",
  });
  const few = toFigure(answerOf(["month", "asset"], cells.slice(0, 8)), {
    chart: { type: "stacked" },
  });
  expect(few).not.toHaveProperty("omitted", expect.anything());
});

test("built-in terms are labelled as in the console, people by name, and other texts unchanged", () => {
  const answer: ReportAnswer = {
    columns: [
      { name: "status", type: "text", role: "group" },
      { name: "count", type: "number", role: "value" },
    ],
    rows: ["timed_out", "usr_1"].map((status) => ({ status, count: 1 })),
  };
  const labelsOf = (kind: string) => {
    const nameOf = (id: string) => (id === "usr_1" ? "Ada" : undefined);
    const figure = toFigure(answer, { source: { kind }, chart: { type: "bar" } }, nameOf);
    return figure.kind === "bars" ? figure.bars.map(({ label }) => label) : [];
  };
  expect(labelsOf("runs")).toEqual(["Timed out", "Ada"]);
  expect(labelsOf("records")).toEqual(["timed_out", "Ada"]);
});
