import { expect, test } from "vitest";
import { toReadableLine } from "./log-line.ts";

const time = new Date(2026, 4, 1, 9, 30, 5).getTime();

test.each([
  [{ level: 30, msg: "Server listening" }, "09:30:05 info  Server listening\n"],
  [{ level: 40, msg: "slow", count: 3, name: "x" }, "09:30:05 warn  slow count=3 name=x\n"],
  [{ level: 30, database: "the database is in /x" }, "09:30:05 info  the database is in /x\n"],
  [
    {
      level: 30,
      requestId: "r",
      method: "POST",
      path: "/api/v1/workflows",
      operation: "workflows.create",
      status: 201,
      durationMs: 12.5,
      actor: "usr_1",
      msg: "request",
    },
    "09:30:05 info  POST /api/v1/workflows 201 12.5 ms usr_1\n",
  ],
  [
    { level: 50, msg: "request failed", err: { stack: "Error: x\n  at y" } },
    "09:30:05 error request failed\nError: x\n  at y\n",
  ],
])("formats %j for a terminal", (entry, line) => {
  expect(toReadableLine(JSON.stringify({ time, ...entry }), { hasColors: false })).toBe(line);
});

test("keeps a line that is not JSON unchanged", () => {
  expect(toReadableLine("plain\n", { hasColors: true })).toBe("plain\n");
});
