import Type from "typebox";
import { expect, test } from "vitest";
import { object } from "./schema.ts";
import { Shape } from "./shape.ts";

const shape = new Shape(object({ name: Type.Optional(Type.String()) }), "body");

test("what does not match has a fault, also when its unknown fields are more than are told of", () => {
  const fields = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`k${n}`, n]));
  const result = shape.check(fields);
  expect("faults" in result && result.faults.length).toBeGreaterThan(0);
  expect(result).toMatchObject({
    faults: expect.arrayContaining([{ path: "/k0", message: "is not a known field" }]),
  });
});

test("one unknown field is named once", () => {
  expect(shape.check({ name: "a", other: 1 })).toEqual({
    faults: [{ path: "/other", message: "is not a known field" }],
  });
});
