import { expect, test } from "vitest";
import { findGaps, readN8nExport, sortReport } from "./export-file.ts";

test("n8n exports are recognised", () => {
  expect(readN8nExport('{"nodes":[],"connections":{}}')).toEqual({ nodes: [], connections: {} });
  for (const text of [
    "",
    "{",
    "[]",
    "null",
    '{"nodes":[],"edges":[]}',
    '{"nodes":1,"connections":{}}',
  ]) {
    expect(readN8nExport(text)).toBeUndefined();
  }
});

test("nodes that need attention are listed first, and a node of several triggers once", () => {
  const one = (node: string, status: string) => ({ node, status, reasons: [] });
  const reports = [
    [one("a", "converted"), one("b", "placeholder")],
    [one("a", "converted"), one("c", "approximated")],
  ];
  expect(sortReport(reports).map(({ node }) => node)).toEqual(["b", "c", "a"]);
});

test("a node that needs only a text is distinguished from one without a counterpart", () => {
  const one = (node: string, status: string) => ({ node, status, reasons: [] });
  const report = [one("a", "placeholder"), one("b", "placeholder"), one("c", "converted")];
  const bindings = [
    { kind: "text", usedBy: ["a"] },
    { kind: "connector", usedBy: ["b"] },
  ];
  const { missing, open } = findGaps({ workflows: [{ report }], bindings });
  expect([missing, open].map((nodes) => nodes.map(({ node }) => node))).toEqual([["b"], ["a"]]);
});
