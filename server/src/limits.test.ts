/** Compares each limit in docs/limits.md with its constant. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const document = join(import.meta.dirname, "../../docs/limits.md");
/** `| Tables of a workspace | 1,000 | [`TABLES_MAX`](../server/src/domains/tables/table.ts) |` */
const ROW = /^\| (.+?) \| ([\d,]+)(?: (\w+))? +\| \[`(\w+)`\]\(([^)]+)\) +\|$/gm;

const UNITS: Readonly<Record<string, number>> = {
  KiB: 1_024,
  MiB: 1_024 ** 2,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

const readNumber = (text: string): number => Number(text.replaceAll(/[_,]/g, ""));

/** Evaluates `16 * 1024 * 1024`. */
const multiply = (expression: string): number =>
  expression.split("*").reduce((product, factor) => product * readNumber(factor), 1);

test("the documented limits are those of the code", () => {
  const text = readFileSync(document, "utf8");
  const rows = [...text.matchAll(ROW)];
  const lines = text.split("\n").filter((line) => line.includes("](../server/src/"));
  expect(rows).toHaveLength(lines.length);
  const wrong = rows.flatMap(([, what = "", value = "", unit = "", name = "", link = ""]) => {
    const source = readFileSync(join(dirname(document), link), "utf8");
    const [, declared = ""] = new RegExp(`const ${name} = ([\\d_* ]+);`).exec(source) ?? [];
    const isCounted = name.includes("_DAYS") || name.startsWith("DAYS");
    const factor = isCounted ? 1 : (UNITS[unit.replace(/s$/, "")] ?? 1);
    const documented = readNumber(value) * factor;
    return documented === multiply(declared) ? [] : [`${what}: ${documented}, not ${declared}`];
  });
  expect(wrong).toEqual([]);
});
