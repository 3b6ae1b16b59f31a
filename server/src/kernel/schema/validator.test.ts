import Type from "typebox";
import { expect, test } from "vitest";
import { object } from "./schema.ts";
import { Validator } from "./validator.ts";

const shape = new Validator(object({ name: Type.Optional(Type.String()) }), "body");

test("an invalid value has an error, also with more unknown fields than are listed", () => {
  const fields = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`k${n}`, n]));
  const result = shape.check(fields);
  expect("errors" in result && result.errors.length).toBeGreaterThan(0);
  expect(result).toMatchObject({
    errors: expect.arrayContaining([{ path: "/k0", message: "is not a known field" }]),
  });
});

test("reports one unknown field once", () => {
  expect(shape.check({ name: "a", other: 1 })).toEqual({
    errors: [{ path: "/other", message: "is not a known field" }],
  });
});

const query = new Validator(
  object({
    limit: Type.Optional(Type.Integer({ minimum: 1 })),
    share: Type.Optional(Type.Number()),
    mine: Type.Optional(Type.Boolean()),
  }),
  "query",
);

test.each([
  [{ limit: "10" }, { limit: 10 }],
  [{ limit: "1.0" }, { limit: 1 }],
  [{ share: "-1.5" }, { share: -1.5 }],
  [{ mine: "true" }, { mine: true }],
  [{ mine: "0" }, { mine: false }],
])("converts the query texts %j to %j", (texts, value) => {
  expect(query.check(texts)).toEqual({ value });
});

test.each([{ limit: "1.5" }, { limit: "" }, { limit: " " }, { limit: "true" }, { limit: "1x" }])(
  "%j is not a whole number",
  (texts) => {
    const errors = [{ path: "?limit", message: "must be integer" }];
    expect(query.check(texts)).toEqual({ errors });
  },
);

const names = Type.Union([
  Type.Array(Type.String(), { minItems: 1 }),
  Type.Record(Type.String(), Type.String(), { minProperties: 1 }),
]);

test.each<[value: unknown, path: string, message: string]>([
  [{}, "/names", "must contain at least one field"],
  [[], "/names", "must not have fewer than 1 items"],
  ["x", "/names", "must be array or object"],
  [{ a: 1 }, "/names/a", "must be string"],
  [[1], "/names/0", "must be string"],
])("%j, of a union, has the errors of the type that it is", (value, path, message) => {
  const either = new Validator(object({ names }), "body");
  expect(either.check({ names: value })).toEqual({ errors: [{ path, message }] });
});

test("reports an error for each of several union values", () => {
  const list = Type.Array(Type.Union([Type.String({ maxLength: 1 }), Type.Integer()]));
  expect(new Validator(list, "body").check([true, "ab"])).toEqual({
    errors: [
      { path: "/0", message: "must be string or integer" },
      { path: "/1", message: "must not have more than 1 characters" },
    ],
  });
});
