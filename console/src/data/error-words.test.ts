import { expect, test } from "vitest";
import { describeFaults, toFieldTitle, toPlainMessage, toPlainProblem } from "./error-words.ts";

const MACHINE = /\^|\\d|\{\d|schema|anyOf|oneOf|pattern|properties|\/\w/;

test("a field is named by its title, and list positions start at one", () => {
  expect(toFieldTitle("/incidentIds/0")).toBe("Incident 1");
  expect(toFieldTitle("/acts/1/set")).toBe("Step 2, set");
  expect(toFieldTitle("/parentId")).toBe("Parent");
  expect(toFieldTitle("?limit")).toBe("Limit");
  expect(toFieldTitle("")).toBe("");
});

test("schema validation messages are worded without schema keywords", () => {
  const messages = [
    "does not have the right form: ^(inc_[0-9a-hjkmnp-tv-z]{26}|INC\\d{7,15})$",
    "does not have the right form: ^[a-z][a-z0-9_-]{0,62}$",
    "does not have the right form",
    'must match pattern "^a"',
    'must match format "email"',
    "must not have fewer than 1 characters",
    "must not have fewer than 3 items",
    "must not have more than 5 properties",
    "must match a schema in anyOf",
    "must match exactly one schema in oneOf",
    'must match "then" schema',
    "schema is false",
    "must be string or null",
    "must be >= 1",
    "must be one of in_progress, on_hold",
  ];
  const plain = messages.map(toPlainMessage);
  expect(plain.filter((one, n) => one === messages[n] || MACHINE.test(one))).toEqual([]);
  expect(plain[0]).toBe("is not a ticket number, such as INC0000012");
  expect(plain.at(-1)).toBe("must be one of in progress, on hold");
});

test("other messages are not changed", () => {
  expect(toPlainMessage("is not the id of a team")).toBe("is not the id of a team");
});

test("the description of a problem lists its errors, and the problem keeps their paths", () => {
  const faults = [
    { path: "/intoId", message: "does not have the right form: ^(inc_x|INC\\d{7,15})$" },
    { path: "/acts/1/set", message: "must contain at least one field" },
  ];
  const words =
    "Target ticket is not a ticket number, such as INC0000012. " +
    "Step 2, set needs at least one field.";
  expect(describeFaults(faults)).toBe(words);
  const problem = { code: "invalid", detail: `${faults[0]?.path} no`, errors: faults };
  expect(toPlainProblem(problem)).toMatchObject({
    detail: words,
    errors: [{ path: "/intoId" }, { path: "/acts/1/set", message: "needs at least one field" }],
  });
  const other = { code: "acts_refused", detail: "Some refuse." };
  expect(toPlainProblem(other)).toBe(other);
});

test("a column is named by its title", () => {
  const message = "must be a number";
  const faults = ["/price", "/records/2/price"].map((path) => ({
    path,
    title: "Price €",
    message,
  }));
  expect(faults.map((fault) => describeFaults([fault]))).toEqual([
    "Price € must be a number.",
    "Records 3, Price € must be a number.",
  ]);
});

test("further errors are counted", () => {
  const faults = ["a", "b", "c", "d", "e"].map((name) => ({
    path: `/${name}`,
    message: "is required",
  }));
  expect(describeFaults(faults)).toBe("A is required. B is required. C is required. And 2 more.");
});
