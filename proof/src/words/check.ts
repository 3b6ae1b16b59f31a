/**
 * Checks that no area has more texts that break a rule of plain English than the baseline allows. `--write` lowers the
 * baseline, `--list` prints each text, `--path` and `--kind` narrow the list.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findBroken } from "./rules.ts";
import { collectTexts } from "./texts.ts";

const root = join(import.meta.dirname, "../../..");
const baselinePath = join(import.meta.dirname, "baseline.json");
const { values } = parseArgs({
  options: {
    write: { type: "boolean" },
    list: { type: "boolean" },
    kind: { type: "string" },
    path: { type: "string", default: "" },
  },
});

const broken = collectTexts(root)
  .map((text) => ({ ...text, rules: findBroken(text.kind, text.text) }))
  .filter(({ rules }) => rules.length > 0);

if (values.list) {
  const chosen = broken.filter(
    ({ kind, path }) =>
      (values.kind === undefined || kind === values.kind) && path.startsWith(values.path),
  );
  for (const { path, line, rules, text } of chosen) {
    console.log(
      `${path}:${line}  ${rules.map(({ name }) => name).join(" ")}  ${text.slice(0, 200)}`,
    );
  }
  for (const rule of new Set(chosen.flatMap(({ rules }) => rules))) {
    console.log(`${rule.name}: ${rule.advice}`);
  }
  console.log(`${chosen.length} texts`);
  process.exit(0);
}

const counts = countBy(broken.map(({ kind, path }) => `${kind} ${areaOf(path)}`));
const baseline: Readonly<Record<string, number>> = JSON.parse(readFileSync(baselinePath, "utf8"));
const grown = Object.entries(counts).filter(([area, count]) => count > (baseline[area] ?? 0));
for (const [area, count] of grown) {
  console.error(`${area}: ${count} texts are not plain English, ${baseline[area] ?? 0} before.`);
}
if (grown.length > 0 && !values.write) {
  console.error("List them: npm run words -- --list --kind KIND --path PATH");
  process.exit(1);
}
if (values.write) {
  const lowered = Object.fromEntries(
    Object.entries(counts).map(([area, n]) => [area, Math.min(n, baseline[area] ?? n)]),
  );
  writeFileSync(baselinePath, `${JSON.stringify(lowered, undefined, 2)}\n`);
}
const sum = (of: Readonly<Record<string, number>>) =>
  Object.values(of).reduce((total, count) => total + count, 0);
console.log(`Plain English: ${sum(counts)} texts break a rule, ${sum(baseline)} are allowed.`);

/**
 * The area of `server/src/domains/itsm/sla/x.ts` is `server/domains`: large enough to move texts within it, small
 * enough to see who adds one.
 */
function areaOf(path: string): string {
  const [top = "", , second = ""] = path.split("/");
  if (top === "server") return `${top}/${second.endsWith(".ts") ? "src" : second}`;
  if (top === "docs") return path.startsWith("docs/adr/") ? "docs/adr" : "docs";
  return top.endsWith(".md") ? "root" : top;
}

function countBy(keys: readonly string[]): Readonly<Record<string, number>> {
  const groups = Map.groupBy(keys.toSorted(), (key) => key);
  return Object.fromEntries([...groups].map(([key, all]) => [key, all.length]));
}
