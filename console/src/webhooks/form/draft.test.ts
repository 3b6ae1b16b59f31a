import { expect, test } from "vitest";
import { findGap, makeSecret, NEW_DRAFT, parseFilter, toBody, toDraft } from "./draft.ts";

const FULL = {
  ...NEW_DRAFT,
  name: " Pager ",
  url: "https://pager.example.com",
  events: ["incident.*"],
  filter: '{ "data.severity": "critical" }',
  environments: ["production"] as const,
  headers: [
    { name: "X-Team", value: "ops" },
    { name: "", value: "left over" },
  ],
};

test("a draft is sent as it was meant, and read back the same", () => {
  const body = toBody(FULL);
  expect(body).toMatchObject({
    name: "Pager",
    filter: { "data.severity": "critical" },
    environments: ["production"],
    headers: { "X-Team": "ops" },
  });
  expect(body).not.toHaveProperty("secret");
  expect(toBody(toDraft({ ...body } as never))).toEqual(body);
});

test("a gap is named before anything is sent", () => {
  expect(findGap(NEW_DRAFT)).toBe("It needs a name.");
  expect(findGap({ ...FULL, filter: "[1]" })).toBe("The condition is no JSON object.");
  expect(findGap(FULL)).toBeUndefined();
  expect([parseFilter(" "), parseFilter("{"), parseFilter("{}")]).toEqual([null, undefined, {}]);
});

test("a secret has 32 bytes after its prefix", () => {
  expect(atob(makeSecret().slice("whsec_".length))).toHaveLength(32);
});
