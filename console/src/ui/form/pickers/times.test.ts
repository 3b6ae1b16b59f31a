import { expect, test } from "vitest";
import { readTimes, timesWords, writeTimes } from "./times.ts";

test("selected times are converted to a cron expression and back", () => {
  for (const cron of ["0 7 * * *", "30 6 * * 1-5", "0 18 * * 0", "15 9 1 * *"]) {
    expect(writeTimes(readTimes(cron), "")).toBe(cron);
  }
  for (const cron of ["*/5 * * * *", "0 7 15 * *", "0 7 * 6 *", "0 7 * * 1,3"]) {
    expect(readTimes(cron).rhythm).toBe("other");
    expect(writeTimes(readTimes(cron), cron)).toBe(cron);
  }
  expect(timesWords({ cron: "0 7 * * 1", timezone: "Europe/Berlin" })).toBe(
    "Every Monday at 07:00, Europe/Berlin",
  );
  expect(timesWords({ cron: "0 7 15 * *" })).toBe("0 7 15 * * UTC");
});
