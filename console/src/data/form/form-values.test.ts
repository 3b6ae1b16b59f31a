import { expect, test } from "vitest";
import {
  changedNames,
  findProblems,
  placeOf,
  toBody,
  toPlainProblem,
  toSentence,
  valueAt,
} from "./form-values.ts";

const FACTS = {
  title: { type: "string", required: true, minLength: 1, maxLength: 10 },
  about: { type: "string", maxLength: 50 },
  note: { type: "string", minLength: 1 },
  teamId: { type: "string", nullable: true },
  size: { type: "integer", required: true, minimum: 1, maximum: 5 },
  isOn: { type: "boolean", required: true },
  tags: { type: "array", required: true },
} as const;

test("an empty field is sent as null, as an empty text or not at all, depending on the schema", () => {
  const empty = { title: "", about: "", note: "", teamId: "", size: null, isOn: false, tags: [] };
  expect(toBody(empty, FACTS)).toEqual({ about: "", teamId: null, isOn: false, tags: [] });
  expect(toBody({ title: "A", note: undefined }, FACTS)).toEqual({ title: "A" });
});

test("schema violations are reported before sending", () => {
  expect([...findProblems({}, FACTS)]).toEqual([
    ["title", "is required"],
    ["size", "is required"],
  ]);
  const wrong = { title: "A title too long", size: 9, isOn: true };
  expect([...findProblems(wrong, FACTS)]).toEqual([
    ["title", "can have at most 10 characters"],
    ["size", "must be at most 5"],
  ]);
});

test("an update can't empty a required field", () => {
  expect([
    ...findProblems({ note: "", teamId: null, about: "" }, FACTS, ["note", "teamId"]),
  ]).toEqual([
    ["title", "is required"],
    ["note", "is required"],
    ["size", "is required"],
  ]);
});

test("a form is dirty if values differ; null and an empty text are equal", () => {
  const base = { title: "A", about: undefined, tags: ["x"] };
  expect(changedNames(base, { title: "A", about: "", tags: ["x"] })).toEqual([]);
  expect(changedNames(base, { title: "B", tags: ["x", "y"] })).toEqual(["title", "tags"]);
  expect(changedNames({ size: 0 }, { size: null })).toEqual(["size"]);
});

test("a server error is shown at its field, without schema keywords", () => {
  expect(toPlainProblem("must not have fewer than 1 characters")).toBe("is required");
  expect(toSentence("Title", "is required")).toBe("Title is required.");
  expect(toSentence("Title", "Another team has this name.")).toBe("Another team has this name.");
});

test("a problem is shown at the nearest visible field", () => {
  const shown = new Set(["/steps", "/steps/0/title", "/name"]);
  expect(placeOf({ path: "/steps/0/title" }, shown)).toBe("/steps/0/title");
  expect(placeOf({ path: "/steps/1/title" }, shown)).toBe("/steps");
  expect(placeOf({ path: "/rules" }, shown)).toBeUndefined();
  const values = { steps: [{ title: "A" }], name: null };
  expect(valueAt(values, "/steps/0/title")).toBe("A");
  expect(valueAt(values, "/name/first")).toBeUndefined();
  expect(valueAt(values, "/steps/1/title")).toBeUndefined();
});
