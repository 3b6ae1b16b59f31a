import { expect, test } from "vitest";
import { StreamLimit } from "./stream-limit.ts";

test("somebody has so many streams at a time, whatever they are of, and others theirs", () => {
  const limit = new StreamLimit(2);
  const give = limit.take("ada");
  limit.take("ada");
  expect(() => limit.take("ada")).toThrow("No more than 2 streams");
  limit.take("ben");
  give();
  limit.take("ada");
  expect(() => limit.take("ada")).toThrow("No more than 2 streams");
});
