import { expect, test } from "vitest";
import { dropDraft, keepDraft, readDraft } from "./draft.ts";

function memory() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
    key: (n: number) => [...kept.keys()][n] ?? null,
    get length() {
      return kept.size;
    },
  };
}

test("a draft belongs to one person and ticket, and an empty draft is deleted", () => {
  const store = memory();
  keepDraft("usr_a", "inc_1", { text: "Hello", isInternal: true, seenId: "evt_1" }, store);
  expect(readDraft("usr_a", "inc_1", store)).toMatchObject({ text: "Hello", isInternal: true });
  expect(readDraft("usr_b", "inc_1", store)).toBeUndefined();
  expect(readDraft("usr_a", "inc_2", store)).toBeUndefined();
  keepDraft("usr_a", "inc_1", { text: "  ", isInternal: false }, store);
  expect(store.length).toBe(0);
});

test("drafts expire, and invalid drafts are ignored", () => {
  const store = memory();
  for (let n = 0; n < 230; n += 1)
    keepDraft("usr_a", `inc_${n}`, { text: "x", isInternal: false }, store);
  expect(store.length).toBe(200);
  dropDraft("usr_a", "inc_229", store);
  expect(readDraft("usr_a", "inc_229", store)).toBeUndefined();
  store.setItem(store.key(0) ?? "", "{");
  expect(() => readDraft("usr_a", "inc_30", store)).not.toThrow();
});
