import { expect, test } from "vitest";
import { findTrigger, rankChoices } from "./trigger.ts";

test("a trigger character at the start of a word opens the list, one inside a word does not", () => {
  expect(findTrigger("Hello ;vp", 9)).toEqual({ mark: ";", words: "vp", from: 6 });
  expect(findTrigger("@", 1)).toEqual({ mark: "@", words: "", from: 0 });
  expect(findTrigger("mail@exa", 8)).toBeUndefined();
  expect(findTrigger("Hello; there", 12)).toBeUndefined();
  expect(findTrigger("a ;vpn done", 11)).toBeUndefined();
});

test("the best match is first", () => {
  const labels = ["Renew the VPN", "VPN key", "Overpn", "Mail"].map((label) => ({ label }));
  expect(rankChoices(labels, "vpn").map(({ label }) => label)).toEqual([
    "VPN key",
    "Renew the VPN",
  ]);
  expect(rankChoices(labels, "")).toHaveLength(4);
});
