import { CompletionContext } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { expect, test } from "vitest";
import { completeExpression } from "./completion.ts";

test("a column is listed by its title, found by title or name, and inserted by name", () => {
  const titles = new Map([["unitPrice", "Price €"]]);
  const complete = completeExpression(
    "expression",
    () => ({ unitPrice: 2, trigger: {} }),
    () => titles,
  );
  const state = EditorState.create({ doc: "" });
  const options = complete(new CompletionContext(state, 0, true))?.options ?? [];
  expect(options.slice(0, 2)).toMatchObject([
    { label: "Price € unitPrice", displayLabel: "Price €", apply: "unitPrice" },
    { label: "trigger", apply: "trigger" },
  ]);
  expect(options[0]?.detail).toContain("unitPrice");
});
