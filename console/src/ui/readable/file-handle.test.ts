import { expect, test } from "vitest";
import { listHandles } from "./file-handle.ts";

test("files are found at any depth, each once", () => {
  const file = { $file: "file_1", name: "a.pdf", mediaType: "application/pdf", size: 3 };
  const other = { $file: "file_2", name: "b.png", mediaType: "image/png", size: 4 };
  expect(listHandles({ body: file, list: [other, { deep: file }], text: "$file" })).toEqual([
    file,
    other,
  ]);
  expect(listHandles(null)).toEqual([]);
});
