import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { builtServer } from "./process/testing/built-server.ts";
import { toSourceStack } from "./source-stack.ts";

const THROWN = /throw new \w+\((?:`|")([A-Za-z ,.:']{12,})/g;
/** More than the words of an error are behind its beginning. */
const LINES_SEEN = 200;

test("a position in the bundle is told as the one in the sources", () => {
  const path = join(builtServer(), "app.mjs");
  const mapped = JSON.parse(readFileSync(`${path}.map`, "utf8")).mappings.split(";");
  const thrown = readFileSync(path, "utf8")
    .split("\n")
    // A line without a mapping is the midst of a text: code that a library writes, and throws nothing here.
    .map((line, index) => (mapped[index] === "" ? "" : line))
    .flatMap((line, index) =>
      [...line.matchAll(THROWN)].map(({ index: column, 1: text }) => ({ index, column, text })),
    );
  const lines = thrown.map(
    ({ index, column }) => `    at f (file://${path}:${index + 1}:${column + 1})`,
  );
  const told = toSourceStack(["Error: a fault", ...lines].join("\n"))
    .split("\n")
    .slice(1);
  const files = new Map<string, readonly string[]>();
  const linesOf = (path: string): readonly string[] => {
    const known = files.get(path) ?? readFileSync(path, "utf8").split("\n");
    files.set(path, known);
    return known;
  };
  const wrong = told.filter((line, index) => {
    const [, source = "", row = "", column = ""] =
      /^ {4}at f \((.+\.(?:ts|m?js)):(\d+):(\d+)\)$/.exec(line) ?? [];
    const [first = "", ...rest] = linesOf(source).slice(Number(row) - 1, Number(row) + LINES_SEEN);
    const code = [first.slice(Number(column) - 1), ...rest].join("\n");
    return !(
      code.startsWith("throw new") && code.slice(0, 200).includes(thrown[index]?.text ?? "-")
    );
  });
  expect(wrong).toEqual([]);
  expect(told.length).toBeGreaterThan(20);
});

test("a stack without the bundle stays as it is", () => {
  const { stack = "" } = new Error("A fault");
  expect(toSourceStack(stack)).toBe(stack);
});
