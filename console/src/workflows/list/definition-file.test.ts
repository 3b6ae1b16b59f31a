import { expect, test } from "vitest";
import { parseImported } from "./definition-file.ts";

const NODES = [{ id: "say", type: "set" }];

test("a definition, an answer of the API and one in a pack are the same", () => {
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
  ["nonsense", /no JSON/],
  ["[]", /no workflow/],
  ['{"name":"x"}', /no workflow/],
])("%s is refused in words", (text, words) => expect(() => parseImported(text)).toThrow(words));
