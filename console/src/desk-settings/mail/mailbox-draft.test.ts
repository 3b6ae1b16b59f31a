import { expect, test } from "vitest";
import { fillTemplate, keepTexts, toRuleLine, toWhen } from "./mailbox-draft.ts";

test("empty texts are not sent", () => {
  expect(keepTexts({ subject: "", header: " ", footer: "Bye" })).toEqual({ footer: "Bye" });
  expect(keepTexts({ kind: "incident", category: "" })).toEqual({ kind: "incident" });
});

test("a rule of one comparison is a line, and others stay as they are", () => {
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

test("a template is filled in with an example", () => {
  expect(fillTemplate("[{{ticket.number}}] {{ mailbox.name }} {{what}}", "Desk")).toBe(
    "[INC0000042] Desk {{what}}",
  );
});
