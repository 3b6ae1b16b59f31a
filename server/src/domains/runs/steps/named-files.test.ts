import { expect, test } from "vitest";
import { findNamedFiles } from "./named-files.ts";

test("an author-named file is a handle in the written configuration, not a handle in a value", () => {
  const written = {
    body: "{{ trigger.event.data }}",
    files: [{ $file: "{{ trigger.event.data.id }}" }, "{{ steps.read.output }}"],
    deep: { logo: { $file: "file_logo", name: "logo.png" } },
  };
  const evaluated = {
    body: { $file: "file_body", more: { $file: "file_more" } },
    files: [{ $file: "file_named" }, { $file: "file_value" }],
    deep: { logo: { $file: "file_logo", name: "logo.png" } },
  };
  expect([...findNamedFiles(written, evaluated)]).toEqual(["file_named", "file_logo"]);
  expect(findNamedFiles("{{ trigger }}", { $file: "file_a" }).size).toBe(0);
  expect(findNamedFiles({ a: { $file: "{{ x }}" } }, { a: null }).size).toBe(0);
});
