import type { Measured } from "./figure.ts";

const HEAD = ["benchmark", "ours", "reference", "ratio (min–max)", "target", ""];

/** Formats results as aligned columns, with notes below each line. */
export function drawTable(results: readonly (Measured & { readonly name: string })[]): string {
  const rows = results.map((one) => [
    one.name,
    one.ours,
    one.reference ?? "",
    one.ratio ?? "",
    one.target,
    one.reached ? "reached" : "missed",
  ]);
  const widths = HEAD.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const draw = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  const lines = rows.flatMap((row, at) => [
    draw(row),
    ...(results[at]?.notes.map((note) => `    ${note}`) ?? []),
  ]);
  return `${[draw(HEAD), ...lines].join("\n")}\n`;
}
