import { expect, test } from "vitest";
import { listActs } from "./acts.ts";

const namesOf = (
  state: Parameters<typeof listActs>[0]["state"],
  assigneeId: string | null = null,
) => listActs({ state, assigneeId }, "usr_me").map(({ name }) => name);

test("a change offers the acts of its state, and no key twice", () => {
  expect(namesOf("draft")).toEqual(["submit", "take", "edit", "move", "cancel"]);
  expect(namesOf("submitted", "usr_me")).toEqual(["move", "cancel"]);
  expect(namesOf("implementing")).toEqual(["complete", "take", "rollback"]);
  expect(namesOf("cancelled")).toEqual([]);
  for (const state of [
    "draft",
    "submitted",
    "approved",
    "rejected",
    "implementing",
    "completed",
  ] as const) {
    const keys = listActs({ state, assigneeId: null }, "usr_me").map(({ keys: own }) => own);
    expect(new Set(keys).size).toBe(keys.length);
  }
});
