/** A form as somebody designs it: which fields it asks for, in which order, with which words. */
import type { Schemas } from "../../data/api.ts";
import type { GridColumn } from "../column/column.ts";

export type FormContent = Schemas["FormContent"];
export type FormField = FormContent["fields"][number];

/** The types that a page without a script can ask for. */
const ASKABLE = new Set([
  "text",
  "integer",
  "decimal",
  "boolean",
  "date",
  "timestamp",
  "enum",
  "multi_enum",
  "duration",
  "email",
  "url",
]);

export const isAskable = ({ type, isSystem }: GridColumn): boolean =>
  !isSystem && ASKABLE.has(type);

/** A form to begin with: every field that can be asked for. */
export function firstForm(columns: readonly GridColumn[]): FormContent {
  return { fields: columns.filter(isAskable).map(({ name }) => ({ name })) };
}

/** Moves a field up or down by one. */
export function moveField(form: FormContent, at: number, by: -1 | 1): FormContent {
  const field = form.fields[at];
  const to = at + by;
  if (!field || to < 0 || to >= form.fields.length) return form;
  return { ...form, fields: form.fields.toSpliced(at, 1).toSpliced(to, 0, field) };
}

/** Changes one field; what is empty is as if it were not there. */
export function putField(form: FormContent, at: number, next: Partial<FormField>): FormContent {
  const field = form.fields[at];
  if (!field) return form;
  const { label = "", help = "", required = false } = { ...field, ...next };
  const changed = {
    name: field.name,
    ...(label !== "" && { label }),
    ...(help !== "" && { help }),
    ...(required && { required }),
  };
  return { ...form, fields: form.fields.with(at, changed) };
}

/** Columns that must have a value and that the form does not ask for: nobody could send it. */
export function missingFields(
  form: FormContent,
  columns: readonly GridColumn[],
): readonly GridColumn[] {
  const asked = new Set(form.fields.map(({ name }) => name));
  return columns.filter(
    ({ name, isRequired, isSystem, readOnly }) =>
      isRequired && !isSystem && readOnly === undefined && !asked.has(name),
  );
}
