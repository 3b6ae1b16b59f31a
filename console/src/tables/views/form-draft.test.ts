import { expect, test } from "vitest";
import type { GridColumn } from "../column/column.ts";
import { firstForm, missingFields, moveField, putField } from "./form-draft.ts";

const column = (name: string, type: string, isRequired = false): GridColumn => ({
  name,
  title: name,
  type,
  options: {},
  isRequired,
  isUnique: false,
  description: "",
  readOnly: undefined,
  isSystem: false,
});
const columns = [column("title", "text", true), column("docs", "json"), column("paid", "boolean")];

test("a form has only the supported field types, in an order that can be changed", () => {
  const form = firstForm(columns);
  expect(form.fields).toEqual([{ name: "title" }, { name: "paid" }]);
  expect(moveField(form, 1, -1).fields.map(({ name }) => name)).toEqual(["paid", "title"]);
  expect(moveField(form, 0, -1)).toEqual(form);
});

test("empty texts are omitted, and required columns missing from the form are named", () => {
  const form = firstForm(columns);
  expect(putField(form, 0, { label: "Name", required: true }).fields[0]).toEqual({
    name: "title",
    label: "Name",
    required: true,
  });
  expect(putField(putField(form, 0, { label: "Name" }), 0, { label: "" })).toEqual(form);
  expect(missingFields({ fields: [] }, columns).map(({ name }) => name)).toEqual(["title"]);
  expect(missingFields(form, columns)).toEqual([]);
});
