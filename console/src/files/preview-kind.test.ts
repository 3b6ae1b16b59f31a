import { expect, test } from "vitest";
import { kindOf } from "./preview-kind.ts";

test("the preview type depends on the media type, and on the file name if that is generic", () => {
  const cases: readonly (readonly [string, string, string | undefined])[] = [
    ["a.png", "image/png", "picture"],
    ["a.svg", "image/svg+xml", "text"],
    ["a", "application/pdf", "document"],
    ["a.xlsx", "application/zip", "document"],
    ["a.zip", "application/zip", undefined],
    ["orders.CSV", "application/octet-stream", "table"],
    ["orders", "text/csv", "table"],
    ["a.json", "text/plain", "json"],
    ["a", "application/problem+json", "json"],
    ["README.md", "text/markdown", "text"],
    ["page.html", "text/html", "text"],
    ["notes", "text/plain", "text"],
    ["a.exe", "application/octet-stream", undefined],
    ["a.json", "application/vnd.ms-excel", undefined],
  ];
  for (const [name, mediaType, kind] of cases) {
    expect([name, mediaType, kindOf({ name, mediaType })]).toEqual([name, mediaType, kind]);
  }
});
