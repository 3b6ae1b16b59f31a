import { expect, test } from "vitest";
import { checkDraft, makeSecret, NEW_DRAFT, parseFilter, toBody, toDraft } from "./draft.ts";

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

test("a draft is sent and parsed back unchanged", () => {
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

test("missing fields are named before sending", () => {
  expect(checkDraft(NEW_DRAFT)).toMatchObject({ name: "is required", url: "is required" });
  expect(checkDraft({ ...FULL, filter: "[1]" }).filter).toBe("is not a JSON object");
  expect(Object.values(checkDraft(FULL)).every((problem) => problem === undefined)).toBe(true);
  expect([parseFilter(" "), parseFilter("{"), parseFilter("{}")]).toEqual([null, undefined, {}]);
});

test("a secret has 32 bytes after its prefix", () => {
  expect(atob(makeSecret().slice("whsec_".length))).toHaveLength(32);
});
