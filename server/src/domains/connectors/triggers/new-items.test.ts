import { expect, test } from "vitest";
import { parseFeed } from "./feed.ts";
import { fillCall } from "./fill-call.ts";
import { findNewItems, type PollState } from "./new-items.ts";

const items = (...ids: number[]) => ids.map((id) => ({ id }));
const poll = (state: PollState, found: readonly unknown[], itemId = "id") =>
  findNewItems(found, itemId, { state, nowMs: 1 });

test("each item is new once, the oldest first, and the first poll returns none", () => {
  const first = poll({}, items(2, 1));
  expect(first.items).toEqual([]);
  const second = poll(first.state, items(4, 3, 2, 1, 4));
  expect(second.items).toEqual(items(3, 4));
  expect(poll(second.state, items(4, 3, 2, 1)).items).toEqual([]);
  // An item that was absent for a while is not new.
  const gone = poll(second.state, items(4));
  expect(poll(gone.state, items(4, 1)).items).toEqual([]);
});

test("items beyond the limit are left for the next poll, without loss or duplicates", () => {
  let { state } = poll({}, []);
  const found = items(...Array.from({ length: 1_200 }, (_, index) => 1_200 - index));
  const taken: unknown[] = [];
  for (let hasMore = true; hasMore;) {
    const turn = poll(state, found);
    taken.push(...turn.items);
    ({ state, hasMore } = turn);
  }
  expect(taken).toEqual(found.toReversed());
  // While items remain, the `since` time does not advance, so that the next list contains them.
  const begun = findNewItems([], "id", { state: {}, nowMs: 1_000 });
  const first = findNewItems(found, "id", { state: begun.state, nowMs: 9_000 });
  expect([first.hasMore, first.state.sinceMs]).toEqual([true, 1_000]);
});

test("identifies items by several fields, full content, or position", () => {
  const begun = poll({}, [{ id: 1, at: 1 }], "id+at");
  expect(poll(begun.state, [{ id: 1, at: 2 }], "id+at").items).toEqual([{ id: 1, at: 2 }]);
  const rows = poll({}, [["a"], ["b"]], "$index");
  const grown = poll(rows.state, [["a"], ["b"], ["a"]], "$index");
  expect(grown.items).toEqual([["a"]]);
  expect(poll(grown.state, [["a"]], "$index").items).toEqual([]);
  const hashed = poll({}, [{ a: 1 }], "$hash");
  expect(poll(hashed.state, [{ a: 1 }, { a: 2 }], "$hash").items).toEqual([{ a: 2 }]);
});

test("the feed parser scans by position: invalid markup ends it, and no entities are expanded", () => {
  const atom = `<feed><entry><id>1</id><title type="html"><![CDATA[A <b>]]></title><link rel="alternate" href="https://e.com/?a=1&amp;b=2"/></entry></feed>`;
  expect(parseFeed(atom)).toMatchObject([
    { id: "1", title: "A <b>", link: "https://e.com/?a=1&b=2" },
  ]);
  expect(parseFeed("<html></html>")).toBeUndefined();
  expect(parseFeed(`<rss>${"<item>".repeat(200_000)}`)).toEqual([]);
  const bomb = `<!DOCTYPE x [<!ENTITY a "aaaa">]><rss><item><title>&a;&a;&#0;&#x41;</title></item></rss>`;
  expect(parseFeed(bomb)).toMatchObject([{ title: "&a;&a;&#0;A" }]);
});

test("a call uses values unchanged, and omits missing ones", () => {
  const call = { url: "{hookUrl}", events: "{events}", none: "{none}", text: "a {n} {none}" };
  expect(fillCall(call, { hookUrl: "u", events: ["x"], n: 1 })).toEqual({
    url: "u",
    events: ["x"],
    text: "a 1 ",
  });
});
