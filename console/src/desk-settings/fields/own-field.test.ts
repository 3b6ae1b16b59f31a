import { expect, test } from "vitest";
import { toKey, toSchema, toSentField } from "./own-field.ts";

test("a key is derived from the name and is unique", () => {
  expect(toKey("Serial number", [])).toBe("serialNumber");
  expect(toKey("3rd Größe", [])).toBe("rdGroe");
  expect(toKey("!", [])).toBe("field");
  expect(toKey("Floor", ["floor", "floor2"])).toBe("floor3");
});

test("empty texts are not sent, and the form is previewed before saving", () => {
  const field = {
    key: "floor",
    name: "Floor",
    type: "choice",
    choices: ["1 ", ""],
    help: " ",
  } as const;
  expect(toSentField({ ...field, choices: [...field.choices] })).toEqual({
    key: "floor",
    name: "Floor",
    type: "choice",
    choices: ["1"],
  });
  expect(toSchema([{ key: "vip", name: "VIP", type: "boolean", isRequired: true }])).toEqual({
    type: "object",
    properties: { vip: { type: "boolean", title: "VIP" } },
    required: ["vip"],
  });
});
