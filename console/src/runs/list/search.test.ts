import { expect, test } from "vitest";
import { isFiltered, readRunsSearch, toListQuery } from "./search.ts";

const NOW = Date.parse("2026-11-16T12:00:30Z");

test("the address is converted to an API query; times are rounded to minutes, so that the query can be cached", () => {
  const address = {
    status: "failed",
    workflow: "wf_1",
    since: "1h",
    version: "3",
    tests: "no",
    q: "card",
  };
  expect(toListQuery(readRunsSearch(address), NOW)).toEqual({
    status: "failed",
    workflowId: "wf_1",
    from: "2026-11-16T11:00:00.000Z",
    version: 3,
    test: false,
    error: "card",
  });
});

test("invalid search parameters are ignored", () => {
  const search = readRunsSearch({
    status: "lost",
    trigger: 7,
    since: "someday",
    version: -1,
    tests: "x",
  });
  expect(toListQuery(search, NOW)).toEqual({});
  expect(isFiltered(readRunsSearch({ status: "failed" }))).toBe(false);
  expect(isFiltered(readRunsSearch({ q: 402 }))).toBe(true);
});
