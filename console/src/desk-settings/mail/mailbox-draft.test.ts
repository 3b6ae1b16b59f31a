import { expect, test } from "vitest";
import { fillTemplate, keepTexts, toRuleLine, toWhen } from "./mailbox-draft.ts";

test("empty texts are not sent", () => {
  expect(keepTexts({ subject: "", header: " ", footer: "Bye" })).toEqual({ footer: "Bye" });
  expect(keepTexts({ kind: "incident", category: "" })).toEqual({ kind: "incident" });
});

test("a rule with one comparison is edited in one line, and other rules are not changed", () => {
  const line = { field: "subject", operator: "contains", value: "win" } as const;
  expect(toRuleLine({ when: toWhen(line) })).toEqual(line);
  expect(toRuleLine({ when: { from: "a@b" } })).toEqual({
    field: "from",
    operator: "eq",
    value: "a@b",
  });
  expect(toRuleLine({ when: { from: "a@b", subject: "x" } })).toBeUndefined();
  expect(toRuleLine({ when: { from: { in: ["a@b"] } } })).toBeUndefined();
});

test("a template is filled with sample values", () => {
  expect(fillTemplate("[{{ticket.number}}] {{ mailbox.name }} {{what}}", "Desk")).toBe(
    "[INC0000042] Desk {{what}}",
  );
});
