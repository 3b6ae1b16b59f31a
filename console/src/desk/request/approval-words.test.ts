import { expect, test } from "vitest";
import { sayAsked } from "./approval-words.ts";

const person = (name: string) => ({ kind: "person" as const, name });
const step = {
  rule: "any" as const,
  quorum: null,
  approvers: [person("Ann"), person("Ben")],
  people: [{ id: "usr_a", name: "Ann" }],
  startedAt: "2026-01-01T00:00:00.000Z",
};

test("a step is described by its rule and its approvers", () => {
  expect(sayAsked(step)).toBe("Ann or Ben");
  expect(sayAsked({ ...step, rule: "all" })).toBe("Ann and Ben");
  expect(sayAsked({ ...step, rule: "quorum", quorum: 2 })).toBe("2 of: Ann, Ben");
  const manager = { ...step, approvers: [{ kind: "manager" as const, name: null }] };
  expect(sayAsked(manager)).toBe("Manager (Ann)");
  expect(sayAsked({ ...manager, people: [], startedAt: null })).toBe("Manager");
  const groups = [
    { kind: "team" as const, name: "Network" },
    { kind: "role" as const, name: "change_manager" },
  ];
  expect(sayAsked({ ...step, approvers: groups })).toMatch(/^Team Network or Role /);
});

test("a step without approvers is decided by members who fulfil requests", () => {
  expect(sayAsked({ ...step, people: [] })).toBe("Members who fulfil requests");
});
