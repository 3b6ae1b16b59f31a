import { expect, test, vi } from "vitest";

vi.mock("../../data/api.ts", () => ({}));
vi.mock("../../data/live/live.ts", () => ({}));

test("an event stales the tiles that count what it changed, and no others", async () => {
  const { isAbout } = await import("./live.ts");
  const record = { type: "record.created", data: { tableSlug: "orders" } };
  expect(isAbout({ kind: "records", table: "orders" }, record)).toBe(true);
  expect(isAbout({ kind: "records", table: "people" }, record)).toBe(false);
  expect(isAbout({ kind: "runs" }, record)).toBe(false);
  expect(isAbout({ kind: "events" }, record)).toBe(true);
  expect(
    isAbout({ kind: "tickets", entity: "incident" }, { type: "incident.created", data: {} }),
  ).toBe(true);
  expect(
    isAbout({ kind: "tickets", entity: "change" }, { type: "incident.created", data: {} }),
  ).toBe(false);
});
