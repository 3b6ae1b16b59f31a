/** The form while the user edits it: fields, their order and texts. */
import type { Schemas } from "../../data/api.ts";
import type { GridColumn } from "../column/column.ts";

export type FormContent = Schemas["FormContent"];
export type FormField = FormContent["fields"][number];

/** Field types supported on pages without scripts. */
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
  "file",
  "image",
]);
const FILES = new Set(["file", "image"]);

/** Returns whether the answers of a column are files. */
export const asksForFiles = ({ type }: Pick<GridColumn, "type">): boolean => FILES.has(type);

type FileKind = NonNullable<FormField["accept"]>[number];

/** File types accepted by a field. The server detects the type from the content. */
export const FILE_CHOICES: readonly {
  readonly words: string;
  readonly accept: readonly FileKind[];
}[] = [
  { words: "All files", accept: [] },
  { words: "Images", accept: ["picture"] },
  { words: "PDF", accept: ["pdf"] },
  { words: "Documents", accept: ["pdf", "text", "office"] },
  { words: "Images and PDF", accept: ["picture", "pdf"] },
];

export const isAskable = ({ type, isSystem }: GridColumn): boolean =>
  !isSystem && ASKABLE.has(type);

/** A new form: every supported field except files, which users add explicitly. */
export function firstForm(columns: readonly GridColumn[]): FormContent {
  const asked = columns.filter((column) => isAskable(column) && !asksForFiles(column));
  return { fields: asked.map(({ name }) => ({ name })) };
}

/** Moves a field up or down by one. */
export function moveField(form: FormContent, at: number, by: -1 | 1): FormContent {
  const field = form.fields[at];
  const to = at + by;
  if (!field || to < 0 || to >= form.fields.length) return form;
  return { ...form, fields: form.fields.toSpliced(at, 1).toSpliced(to, 0, field) };
}

/** Changes one field; empty values are removed. */
export function putField(form: FormContent, at: number, next: Partial<FormField>): FormContent {
  const field = form.fields[at];
  if (!field) return form;
  const { label = "", help = "", required = false, accept = [] } = { ...field, ...next };
  const changed = {
    name: field.name,
    ...(label !== "" && { label }),
    ...(help !== "" && { help }),
    ...(required && { required }),
    ...(accept.length > 0 && { accept }),
  };
  return { ...form, fields: form.fields.with(at, changed) };
}

/** Returns the required columns missing from the form, because it could not be submitted without them. */
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
