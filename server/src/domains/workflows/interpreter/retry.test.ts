import { describe, expect, test } from "vitest";
import type { Node } from "../definition/index.ts";
import { afterFailure, retryDelayMs, type StepRecord } from "./index.ts";
import { planOf } from "./testing/notation.ts";

const error = { code: "http_failed", message: "503" };

function nodeOf(more: Partial<Node>) {
  return planOf([{ id: "call", type: "http", ...more }]).graph.nodes[0]!;
}

function record(attempts: number): StepRecord {
  return { path: "call", node: "call", status: "running", attempts };
}

describe("retryDelayMs", () => {
  const maxDelayMs = 3_600_000;
  test.each([
    ["fixed", 500, [500, 500, 500]],
    ["exponential", 500, [500, 1_000, 2_000]],
    ["exponential", 2_000_000, [2_000_000, 3_600_000, 3_600_000]],
    ["exponential", 0, [0, 0, 0]],
  ] as const)("%s from %i", (strategy, backoffMs, expected) => {
    const retry = { strategy, backoffMs, maxAttempts: 5, maxDelayMs, statuses: [] };
    expect([1, 2, 3].map((attempt) => retryDelayMs(retry, attempt))).toEqual(expected);
  });
});

describe("afterFailure", () => {
  test("retries while attempts are left, by default after one second", () => {
    const node = nodeOf({ retry: { maxAttempts: 3 } });
    expect(afterFailure(node, record(2), error, 10_000)).toEqual({
      next: "retry",
      record: { ...record(2), status: "waiting", error, retryAtMs: 12_000 },
    });
  });

  test("does not retry after the last attempt, or if a retry cannot help", () => {
    const node = nodeOf({ retry: { maxAttempts: 3 } });
    const failed = { next: "fail", record: { ...record(3), status: "failed", error } };
    expect(afterFailure(node, record(3), error, 0)).toEqual(failed);
    const final = { ...error, retryable: false };
    expect(afterFailure(node, record(1), final, 0).next).toBe("fail");
    expect(afterFailure(nodeOf({}), record(1), error, 0).next).toBe("fail");
  });

  test("continues with null or takes the error branch, and keeps the error", () => {
    expect(afterFailure(nodeOf({ onError: "continue" }), record(1), error, 0)).toEqual({
      next: "continue",
      record: { ...record(1), status: "completed", output: null, error },
    });
    expect(afterFailure(nodeOf({ onError: "branch" }), record(1), error, 0)).toEqual({
      next: "branch",
      record: { ...record(1), status: "failed", branch: "error", error },
    });
  });

  test("a fail step fails regardless of its error settings", () => {
    const node = nodeOf({ type: "fail", retry: { maxAttempts: 3 }, onError: "continue" });
    expect(afterFailure(node, record(1), error, 0).next).toBe("fail");
  });
});
