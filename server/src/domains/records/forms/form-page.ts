/** A form as a page that works without a script. */
import type { ColumnSchema } from "#domains/tables/index.ts";
import { document, type HtmlDocument, type Markup, markup } from "#kernel/html/markup.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
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

/** Values as somebody typed them. */
export type FormValues = Readonly<Record<string, string>>;

/** A field that no person sees: whoever fills it is a program. */
export const TRAP = "homepage_of_your_firm";

const LONG_TEXT = 200;
const INPUT_TYPES: Readonly<Record<string, string>> = {
  date: "date",
  timestamp: "datetime-local",
  email: "email",
  url: "url",
};

export interface FormPage {
  readonly title: string;
  readonly form: FormContent;
  readonly fields: readonly AskedField[];
  readonly values?: FormValues;
  readonly errors?: readonly FieldError[];
}

/** The page that asks; with errors, what was typed is still there. */
export function formPage({
  title,
  form,
  fields,
  values = {},
  errors = [],
}: FormPage): HtmlDocument {
  const errorOf = new Map(errors.map(({ path, message }) => [path.split("/")[1], message]));
  const others = errors.filter(
    ({ path }) => !fields.some(({ column }) => column.name === path.split("/")[1]),
  );
  return document({
    title,
    body: markup`<h1>${title}</h1>
${form.intro !== undefined && markup`<p>${form.intro}</p>`}
${errors.length > 0 && markup`<p class="alarm" role="alert">Please look at this once more: ${errors.length === 1 ? "one answer" : "some answers"} can't be taken.${others.map(({ message }) => markup` It ${message}.`)}</p>`}
<form method="post"${fields.some(({ column }) => isFileField(column)) && markup` enctype="multipart/form-data"`}>
${fields.map((asked) => fieldMarkup(asked, values, errorOf.get(asked.column.name)))}
<p hidden><label for="${TRAP}">Leave this empty</label><input id="${TRAP}" name="${TRAP}" tabindex="-1" autocomplete="off"></p>
<button>Send</button>
</form>`,
  });
}

export function thanksPage({ title, form }: Pick<FormPage, "title" | "form">): HtmlDocument {
  return document({
    title: "Thank you",
    body: markup`<h1>Thank you</h1><p>${form.thanks ?? `We have got your answers to “${title}”.`}</p>`,
  });
}

function fieldMarkup(
  { field, column }: AskedField,
  values: FormValues,
  error: string | undefined,
): Markup {
  const { name, title, type } = column;
  const label = field.label ?? title;
  const required = isRequired({ field, column });
  const hints = [field.help, isFileField(column) ? describeFileLimit(column) : undefined];
  const help = hints.filter((hint) => hint !== undefined).join(" ");
  const notes = markup`${help !== "" && markup`<p class="hint faint" id="${name}-help">${help}</p>`}
${error !== undefined && markup`<p class="hint alarm" id="${name}-error">It ${error}.</p>`}`;
  const described = [help !== "" && `${name}-help`, error !== undefined && `${name}-error`].filter(
    (id) => id !== false,
  );
  const attributes = markup`id="${name}" name="${name}"${required && markup` required`}${described.length > 0 && markup` aria-describedby="${described.join(" ")}"`}${error !== undefined && markup` aria-invalid="true"`}`;
  if (type === "multi_enum") return choicesMarkup({ field, column }, values, notes);
  const value = values[name];
  if (type === "boolean") {
    return markup`<p><label><input type="checkbox" ${attributes}${value === "on" && markup` checked`}> ${label}</label></p>${notes}`;
  }
  return markup`<label for="${name}">${label}${!required && markup` <span>(optional)</span>`}</label>
${controlMarkup({ field, column }, { attributes, value, required })}
${notes}`;
}

function controlMarkup(
  { field, column }: AskedField,
  {
    attributes,
    value = "",
    required,
  }: {
    readonly attributes: Markup;
    readonly value: string | undefined;
    readonly required: boolean;
  },
): Markup {
  const { type, options } = column;
  if (isFileField(column)) {
    const isSingle = options["max"] === 1;
    const offered = offeredFiles(field, column);
    return markup`<input type="file" ${attributes}${!isSingle && markup` multiple`}${offered !== undefined && markup` accept="${offered}"`}>`;
  }
  if (type === "enum") {
    return markup`<select ${attributes}>
<option value="">${required ? "Choose" : ""}</option>
${choicesOf(column).map((choice) => markup`<option${value === choice && markup` selected`}>${choice}</option>`)}
</select>`;
  }
  const maxLength = Number(options["maxLength"] ?? LONG_TEXT * 50);
  if (type === "text" && maxLength > LONG_TEXT) {
    return markup`<textarea ${attributes} rows="3" maxlength="${maxLength}">${value}</textarea>`;
  }
  const isNumber = type === "integer" || type === "decimal";
  return markup`<input type="${INPUT_TYPES[type] ?? "text"}" ${attributes} value="${value}"${isNumber && markup` inputmode="decimal"`}>`;
}

/** A box for each choice: a list to choose several from is hard to use. */
function choicesMarkup({ field, column }: AskedField, values: FormValues, notes: Markup): Markup {
  const { name } = column;
  return markup`<fieldset><legend>${field.label ?? column.title}</legend>
${choicesOf(column).map((choice, index) => {
  const box = boxName(name, index);
  return markup`<p><label><input type="checkbox" name="${box}"${values[box] !== undefined && markup` checked`}> ${choice}</label></p>`;
})}
</fieldset>${notes}`;
}

/** The name of the box of one choice, which no column has. */
export function boxName(name: string, index: number): string {
  return `${name}.${index}`;
}

export function choicesOf({ options: { values } }: ColumnSchema): readonly string[] {
  return Array.isArray(values) ? (values as readonly unknown[]).map(String) : [];
}

/** A required column is asked for, unless it has a default. */
export function isRequired({ field, column }: AskedField): boolean {
  return field.required ?? (column.required && column.default === null);
}
