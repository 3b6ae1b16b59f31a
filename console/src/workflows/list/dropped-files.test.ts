import { expect, test } from "vitest";
import { isDefinition, readChosen, readDropped } from "./dropped-files.ts";
import { choicesFor, joinBindings, readFile } from "./n8n/folder.tsx";

test("only definitions among the selected files are read", async () => {
  const files = [
    new File(["{}"], "a.json"),
    new File(["x"], "b.txt"),
    new File(["{}"], ".hidden.json"),
    new File(["[]"], "C.JSON"),
    new File(["x".repeat(4 * 1024 * 1024 + 1)], "large.json"),
  ];
  const read = await readChosen(files as unknown as FileList);
  expect(read).toEqual([
    { name: "a.json", text: "{}" },
    { name: "C.JSON", text: "[]" },
    { name: "large.json", text: "", problem: "The file is larger than 4 MiB." },
  ]);
  expect([isDefinition("flows/.git/a.json"), isDefinition("flows/a.json")]).toEqual([false, true]);
});

/** A directory entry as browsers return it: entries in batches, ended by an empty batch. */
function folder(fullPath: string, inside: readonly object[]): object {
  const createReader = () => {
    const parts = [inside.slice(0, 2), inside.slice(2), []].filter(
      (part, n) => n === 2 || part.length > 0,
    );
    return { readEntries: (done: (part: readonly object[]) => void) => done(parts.shift() ?? []) };
  };
  const name = fullPath.split("/").at(-1);
  return { isFile: false, isDirectory: true, fullPath, name, createReader };
}

const file = (fullPath: string): object => ({
  isFile: true,
  isDirectory: false,
  fullPath,
  file: (done: (file: File) => void) => done(new File(["{}"], fullPath)),
});

test("definitions in a folder are read, however many other files precede them", async () => {
  const others = Array.from({ length: 900 }, (_, n) => file(`/flows/picture-${n}.png`));
  const root = folder("/flows", [
    folder("/flows/.git", [file("/flows/.git/a.json")]),
    ...others,
    folder("/flows/deep", [file("/flows/deep/b.json")]),
    file("/flows/a.json"),
  ]);
  const items = [{ webkitGetAsEntry: () => root }, { webkitGetAsEntry: () => null }];
  const read = await readDropped({ items } as unknown as DataTransfer);
  expect(read.map(({ name }) => name)).toEqual(["flows/deep/b.json", "flows/a.json"]);
});

test("bindings needed by several exports are requested once, missing parts are listed per node", () => {
  const slack = { id: "connector:slack", kind: "connector" as const, title: "Slack" };
  const field = { id: "text:field A", kind: "text" as const, title: "A: the field" };
  const file = (name: string, ...usedBy: string[]) => ({
    name,
    answer: {
      workflows: [],
      counts: { converted: 0, approximated: 0, placeholder: 0 },
      bindings: [slack, field].map((one) => ({ ...one, usedBy })),
    },
  });
  const files = [file("one.json", "A"), file("two.json", "A", "B")] as const;
  expect(joinBindings(files)).toEqual([
    { ...slack, usedBy: ["A", "B"] },
    { ...field, id: "one.json text:field A", title: "one.json, A: the field", usedBy: ["A"] },
    { ...field, id: "two.json text:field A", title: "two.json, A: the field", usedBy: ["A", "B"] },
  ]);
  const chosen = { "connector:slack": "con_1", "two.json text:field A": "mail" };
  expect(files.map((one) => choicesFor(one, chosen))).toEqual([
    { "connector:slack": "con_1" },
    { "connector:slack": "con_1", "text:field A": "mail" },
  ]);
});

test("a file in a folder is an n8n export, a workflow definition, or has an error message", () => {
  const read = (value: unknown) => readFile({ name: "a.json", text: JSON.stringify(value) });
  expect(read({ nodes: [], connections: {} })).toMatchObject({ workflow: {}, isChosen: false });
  expect(read({ data: { name: "Ours", nodes: [], edges: [] } })).toMatchObject({
    definition: { name: "Ours", nodes: [] },
    isChosen: true,
  });
  expect(read({ id: "bakery", resources: {} }).problem).toContain("under Packs");
  expect(read([1]).problem).toContain("not an n8n or Millrace workflow");
});
