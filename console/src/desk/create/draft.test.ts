import { expect, test } from "vitest";
import { findFaults, INITIAL } from "./draft.ts";

const contact = { name: "Wilma", address: "", phone: "" };
const faultsOf = (...given: Parameters<typeof findFaults>) =>
  Object.keys(JSON.parse(JSON.stringify(findFaults(...given))) as object);

test("a new contact needs a name, and an address or a phone number", () => {
  expect(faultsOf("incident", { ...INITIAL, contact })).toEqual(["contact/address"]);
  const named = { ...contact, name: " ", phone: "0801" };
  expect(faultsOf("incident", { ...INITIAL, contact: named })).toEqual(["contact/name"]);
  expect(faultsOf("problem", { ...INITIAL, contact })).toEqual([]);
});

test("requires a change title and an end after the start", () => {
  expect(faultsOf("change", INITIAL)).toEqual(["title"]);
  const [early, late] = ["2026-03-01T08:00:00Z", "2026-03-01T09:00:00Z"];
  const draft = { ...INITIAL, title: "Move", plannedStart: late, plannedEnd: early };
  expect(faultsOf("change", draft)).toEqual(["plannedEnd"]);
  expect(faultsOf("change", { ...draft, plannedStart: early, plannedEnd: late })).toEqual([]);
});
