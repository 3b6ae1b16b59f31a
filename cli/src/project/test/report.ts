/** Reports test results for people and for CI. */
import { writeFileSync } from "node:fs";
import { toPlainText } from "../../command.ts";
import type { TestedCase } from "./test-project.ts";

/** Lines such as `✓ workflows/Greet: morning`. */
export function describeTests(results: readonly TestedCase[]): string[] {
  const failed = results.filter(({ passed }) => !passed).length;
  const lines = results.flatMap(({ thing, name, passed, updated, reasons, path }) => [
    `${passed ? "✓" : "✗"} ${thing}: ${name}${updated ? " (updated)" : ""}`,
    ...(passed ? [] : [`    ${path}`]),
    ...reasons.map((reason) => `    ${reason}`),
  ]);
  return [...lines, `${results.length - failed} passed, ${failed} failed`].map(toPlainText);
}

/** JUnit XML, which CI systems read. */
export function toJunit(results: readonly TestedCase[]): string {
  const failed = results.filter(({ passed }) => !passed).length;
  const cases = results.map(({ thing, name, path, passed, reasons }) => {
    const head = `  <testcase classname="${escape(thing)}" name="${escape(name)}" file="${escape(path)}"`;
    if (passed) return `${head}/>`;
    const [first = "failed"] = reasons;
    const text = escape(reasons.join("\n"));
    return `${head}>\n    <failure message="${escape(first)}">${text}</failure>\n  </testcase>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="millrace" tests="${results.length}" failures="${failed}">`,
    ...cases,
    "</testsuite>",
    "",
  ].join("\n");
}

export function writeJunit(path: string, text: string): void {
  writeFileSync(path, text);
}

/** XML cannot represent most control characters. */
function escape(text: string): string {
  return text
    .replaceAll(/[^\P{Cc}\n\t]/gu, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
