import { expect, test } from "vitest";
import {
  addField,
  addPage,
  FIELD_TYPES,
  fromSchema,
  moveField,
  type Pages,
  removeField,
  renamePage,
  stepFrom,
  toSchema,
} from "./form-pages.ts";

const namesOf = (pages: Pages) => pages.map(({ fields }) => fields.map(({ name }) => name));
const three: Pages = [
  { fields: [{ name: "a" }, { name: "b" }] },
  { title: "Second", fields: [{ name: "c" }] },
];

test("fields move within a page and across pages, and an empty page is removed", () => {
  expect(namesOf(moveField(three, { page: 0, field: 0 }, { page: 0, field: 1 }))).toEqual([
    ["b", "a"],
    ["c"],
  ]);
  expect(namesOf(moveField(three, { page: 1, field: 0 }, { page: 0, field: 2 }))).toEqual([
    ["a", "b", "c"],
  ]);
  expect(stepFrom(three, { page: 0, field: 1 }, 1)).toEqual({ page: 1, field: 0 });
  expect(stepFrom(three, { page: 1, field: 0 }, -1)).toEqual({ page: 0, field: 2 });
  expect(stepFrom(three, { page: 0, field: 0 }, -1)).toBeUndefined();
  expect(namesOf(removeField(three, { page: 1, field: 0 }))).toEqual([["a", "b"]]);
  const one: Pages = [{ fields: [{ name: "a" }] }];
  expect(removeField(one, { page: 0, field: 0 })).toBe(one);
});

test("new fields have unique names, and new pages have titles", () => {
  const pages = addField(addField([{ fields: [] }], 0, "text"), 0, "text");
  expect(namesOf(addPage(pages))).toEqual([["text", "text_2"], ["text_3"]]);
  expect(renamePage(renamePage(pages, 0, "You"), 0, "")).toEqual(pages);
});

test("any form is converted to a JSON Schema and back without changes", () => {
  let pages: Pages = [{ title: "About you", fields: [] }, { fields: [] }];
  for (const [n, type] of FIELD_TYPES.entries()) pages = addField(pages, n % 2, type);
  pages = pages.map((page) => ({
    ...page,
    fields: page.fields.map((field, n) => ({
      ...field,
      ...(n === 0 && { required: true, help: "As it is.", maxLength: 40 }),
    })),
  }));
  expect(fromSchema(toSchema(pages))).toEqual({ pages });
  expect(fromSchema({ type: "object", properties: { x: { type: "object" } } })).toHaveProperty(
    "error",
  );
  expect(fromSchema(7)).toHaveProperty("error");
  expect(
    fromSchema({ properties: { age: { type: "integer", title: "Age" } }, required: ["age"] }),
  ).toEqual({
    pages: [{ fields: [{ name: "age", label: "Age", type: "number", required: true }] }],
  });
});
