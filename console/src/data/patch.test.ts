import { expect, test } from "vitest";
import { cache, patchQueries } from "./api.ts";

interface Names {
  readonly names: readonly string[];
}

test("a rejected change is reverted, but does not overwrite a response that arrived in the meantime", () => {
  const [mine, other] = [
    ["things", 1],
    ["things", 2],
  ] as const;
  cache.setQueryData<Names>(mine, { names: ["old"] });
  cache.setQueryData<Names>(other, { names: ["old"] });
  const takeBack = patchQueries<Names>({ queryKey: ["things"] }, () => ({ names: ["mine"] }));
  expect(cache.getQueryData(mine)).toEqual({ names: ["mine"] });
  cache.setQueryData<Names>(other, { names: ["theirs", "new"] });
  takeBack();
  expect(cache.getQueryData(mine)).toEqual({ names: ["old"] });
  expect(cache.getQueryData(other)).toEqual({ names: ["theirs", "new"] });
  // Its data may lack the other change, so it is marked as stale.
  expect(cache.getQueryState(other)?.isInvalidated).toBe(true);
  expect(cache.getQueryState(mine)?.isInvalidated).toBe(false);
  cache.clear();
});
