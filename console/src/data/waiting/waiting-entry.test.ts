import { expect, test } from "vitest";
import { joinWaiting } from "./waiting-entry.ts";

const entry = (id: string, kind: string) => ({
  id,
  kind,
  text: id,
  about: "",
  to: `/tickets/${id}`,
  search: {},
  at: "2026-11-16T12:00:00.000Z",
});

test("a ticket that is assigned to me and needs my approval is listed once, as an approval", () => {
  const decisions = [entry("CHG0000001", "Approve"), entry("CHG0000002", "Approve")];
  const { entries, total } = joinWaiting(84, [
    decisions,
    [entry("INC0000001", "Incident")],
    [entry("CHG0000002", "Change"), entry("CHG0000003", "Change")],
  ]);
  expect(entries.map(({ id, kind }) => `${kind} ${id}`)).toEqual([
    "Approve CHG0000001",
    "Approve CHG0000002",
    "Incident INC0000001",
    "Change CHG0000003",
  ]);
  expect(total).toBe(83);
});
