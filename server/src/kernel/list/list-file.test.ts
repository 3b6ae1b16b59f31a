import { describe, expect, test } from "vitest";
import { jsonListFormat, type ListFileFormat, listFileChunks } from "./list-file.ts";

const lines: ListFileFormat<number> = {
  mediaType: "text/plain",
  begin: "",
  line: (item) => `${item}\n`,
  end: "",
};
const json = jsonListFormat((item: number) => ({ item }));
const going = new AbortController().signal;

/** The numbers up to this one, read by page. */
function upTo(count: number, sizes: readonly [number, ...number[]] = [10]) {
  const asked: number[] = [];
  const all = Array.from({ length: count }, (_, index) => index + 1);
  const read = async (last: number | undefined, most: number) => {
    asked.push(most);
    return all.slice(last ?? 0, (last ?? 0) + most);
  };
  return { all, asked, pages: { sizes, read } };
}

describe("a list as a file", () => {
  test.each([0, 9, 10, 11, 20])("is complete with %d items in pages of ten", async (count) => {
    const { all, pages } = upTo(count);
    const written = await Array.fromAsync(listFileChunks(json, pages, going));
    expect(JSON.parse(written.join(""))).toEqual(all.map((item) => ({ item })));
    const plain = await Array.fromAsync(listFileChunks(lines, pages, going));
    expect(plain.join("")).toBe(all.map((item) => `${item}\n`).join(""));
    expect(plain).not.toContain("");
  });

  test("is read in pages as large as possible", async () => {
    const { asked, pages } = upTo(300, [2, 10, 100]);
    const long: ListFileFormat<number> = {
      ...lines,
      line: (item) => "x".repeat(item < 5 ? 75_000 : 9),
    };
    const lengths: number[] = [];
    for await (const piece of listFileChunks(long, pages, going)) lengths.push(piece.length);
    expect(asked).toEqual([2, 10, 10, 100, 100, 100]);
    expect(lengths.slice(0, 2)).toEqual([150_000, 150_072]);
  });

  test("is aborted when the server stops", async () => {
    const { pages } = upTo(11);
    const ended = AbortSignal.abort();
    await expect(Array.fromAsync(listFileChunks(json, pages, ended))).rejects.toThrow(
      "The server ends",
    );
    const { pages: one } = upTo(9);
    expect(await Array.fromAsync(listFileChunks(json, one, ended))).toHaveLength(1);
  });
});
