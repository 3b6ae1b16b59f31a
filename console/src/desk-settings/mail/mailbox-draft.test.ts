import { expect, test } from "vitest";
import { fillTemplate, toBody, toDraft, toRuleLine, toWhen } from "./mailbox-draft.ts";

test("a mailbox is sent with what its kind needs", () => {
  const draft = {
    ...toDraft(undefined),
    name: " Desk ",
    address: "desk@example.com",
    footer: "Bye",
  };
  expect(toBody(draft, undefined)).toEqual({
    name: "Desk",
    address: "desk@example.com",
    kind: "smtp",
    teamId: null,
    enabled: true,
    acknowledge: true,
    defaults: { kind: "incident" },
    templates: { footer: "Bye" },
    rules: [],
  });
  expect(toBody({ ...draft, kind: "imap", host: "imap.example.com" }, undefined)).toMatchObject({
    imap: { host: "imap.example.com", port: 993, folder: "INBOX" },
  });
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
