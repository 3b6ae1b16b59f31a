import { expect, test } from "vitest";
import { isDefinition, readChosen } from "./dropped-files.ts";
import { joinBindings } from "./n8n-folder.tsx";

test("of what was chosen, the definitions are read", async () => {
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
  ]);
  expect([isDefinition("flows/.git/a.json"), isDefinition("flows/a.json")]).toEqual([false, true]);
});

test("what several exports need is asked for once", () => {
  const answer = (...usedBy: string[]) => ({
    workflows: [],
    counts: { converted: 0, approximated: 0, placeholder: 0 },
    bindings: [{ id: "connector:slack", kind: "connector" as const, title: "Slack", usedBy }],
  });
  expect(joinBindings([answer("A"), answer("A", "B")])).toEqual([
    { id: "connector:slack", kind: "connector", title: "Slack", usedBy: ["A", "B"] },
  ]);
});
