/** The page of a form: the columns of a table as form fields. */
import type { ColumnSchema, ColumnTypeName } from "#domains/tables/index.ts";
import type { FormField as PageField, FormInput } from "#kernel/html/form/form-field.ts";
import { type FormView, renderForm } from "#kernel/html/form/form-view.ts";
import { document, type HtmlDocument, markup } from "#kernel/html/markup.ts";
import {
  describeFileLimit,
  type FormContent,
  type FormField,
  isFileField,
  offeredFiles,
} from "./form-content.ts";

export interface AskedField {
  readonly field: FormField;
  readonly column: ColumnSchema;
}

export interface FormPage extends Pick<FormView, "posted" | "errors"> {
  readonly title: string;
  readonly form: FormContent;
  readonly fields: readonly AskedField[];
}

/** Renders the form; with errors, it keeps the entered values. */
export function formPage({ title, form, fields, posted, errors }: FormPage): HtmlDocument {
  const view = { posted, errors, submit: "Submit", isPublic: true };
  return document({
    title,
    body: markup`<h1>${title}</h1>
${form.intro !== undefined && markup`<p>${form.intro}</p>`}
${renderForm({ ...view, fields: fields.map(toPageField) })}`,
  });
}

export function thanksPage({ title, form }: Pick<FormPage, "title" | "form">): HtmlDocument {
  return document({
    title: "Thank you",
    body: markup`<h1>Thank you</h1><p>${form.thanks ?? `We received your answers to “${title}”.`}</p>`,
  });
}

const TEXT_CHARACTERS_MAX = 10_000;
const INPUTS: Partial<Readonly<Record<ColumnTypeName, FormInput>>> = {
  integer: "number",
  decimal: "number",
  boolean: "checkbox",
  date: "date",
  timestamp: "datetime",
  enum: "select",
  multi_enum: "checkboxes",
  email: "email",
  url: "url",
  file: "file",
  image: "file",
};

/** Converts a column to a form field. */
export function toPageField({ field, column }: AskedField): PageField {
  const { name, title, type, options } = column;
  const isFile = isFileField(column);
  const hints = [field.help, isFile ? describeFileLimit(column) : undefined];
  const values = Array.isArray(options["values"]) ? (options["values"] as readonly unknown[]) : [];
  // A checkbox or a default always gives a required column a value.
  const isMissable = column.required && column.default === null && type !== "boolean";
  return {
    name,
    label: field.label ?? title,
    input: INPUTS[type] ?? (options["multiline"] === true ? "textarea" : "text"),
    required: field.required ?? isMissable,
    options: values.map((value) => ({ value: String(value), label: String(value) })),
    help: hints.filter((hint) => hint !== undefined).join(" "),
    maxLength: Number(options["maxLength"] ?? TEXT_CHARACTERS_MAX),
    ...(type === "decimal" && { exact: true }),
    ...(isFile && { multiple: options["max"] !== 1, accept: offeredFiles(field, column) }),
  };
}
