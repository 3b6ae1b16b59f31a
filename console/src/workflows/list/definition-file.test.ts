import { expect, test } from "vitest";
import { parseImported } from "./definition-file.ts";

const NODES = [{ id: "say", type: "set" }];

test("a bare definition, an API response and an entry of a pack are parsed to the same result", () => {
  const definition = { name: "Greet", nodes: NODES };
  const expected = { name: "Greet", nodes: NODES, edges: [], trigger: { type: "manual" } };
  for (const text of [
    JSON.stringify(definition),
    JSON.stringify({ data: { ...definition, id: "wf_1", versions: {} } }),
    JSON.stringify({ key: "greet", definition }),
  ]) {
    expect(parseImported(text)).toEqual(expected);
  }
  expect(parseImported(JSON.stringify({ nodes: NODES })).name).toBe("Imported workflow");
});

test.each([
  ["nonsense", /not valid JSON/],
  ["[]", /not a workflow/],
  ['{"name":"x"}', /not a workflow/],
])("%s is rejected with a message", (text, words) =>
  expect(() => parseImported(text)).toThrow(words),
);
