/** The answers of a form, checked on the server: a page is only a way to ask. */
import type { Form, FormField } from "#domains/workflows/index.ts";
import { readAnswer, type FormValues, TEXT_MAX } from "./form-page.ts";

/** Reads the fields that the form has; others are dropped. */
export function readFormValues({ pages }: Form, body: unknown): FormValues {
  const sent = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const values: Record<string, string | string[]> = {};
  for (const { name, type } of pages.flatMap(({ fields }) => fields)) {
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
    const all = (Array.isArray(value) ? value : [value]).filter(isFilled).map(String);
    if (type === "choices") values[name] = all;
    else if (all[0] !== undefined) values[name] = all[0];
  }
  return values;
}

/** The handle of a file that was sent; one that somebody wrote as a text is none. */
function fileOf(value: unknown): unknown {
  const [file] = (Array.isArray(value) ? value : [value]) as unknown[];
  return typeof file === "object" && file !== null && "$file" in file ? file : null;
}

function isFilled(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value) && value !== "";
}

/** Finds what is wrong with the fields of one page, in words for the person who filled it in. */
export function checkFormPage(
  { pages }: Form,
  at: number,
  {
    values,
    body,
  }: { readonly values: FormValues; readonly body: Readonly<Record<string, unknown>> },
): Map<string, string> {
  const errors = new Map<string, string>();
  for (const field of pages[at]?.fields ?? []) {
    const isMissing = field.type === "file" && field.required && fileOf(body[field.name]) === null;
    const error = isMissing ? "is needed" : checkField(field, readAnswer(values, field.name));
    if (error !== undefined) errors.set(field.name, error);
  }
  return errors;
}

function checkField(field: FormField, value: FormValues[string] | undefined): string | undefined {
  const { required = false, type = "text", options = [], maxLength = TEXT_MAX } = field;
  const all = value === undefined ? [] : typeof value === "string" ? [value] : value;
  const [first] = all;
  if (first === undefined) return required && type !== "file" ? "is needed" : undefined;
  if (type === "checkbox" && required && first !== "true") return "must be ticked";
  if (all.some((one) => one.length > maxLength)) return `has more than ${maxLength} characters`;
  if (type === "number" && !Number.isFinite(Number(first))) return "must be a number";
  if (type === "email" && !/^[^\s@]{1,200}@[^\s@]{1,200}$/.test(first)) {
    return "must be an e-mail address";
  }
  if (type === "date" && (!/^\d{4}-\d{2}-\d{2}$/.test(first) || Number.isNaN(Date.parse(first)))) {
    return "must be a date";
  }
  const isChoice = type === "choice" || type === "choices";
  if (isChoice && !all.every((one) => options.includes(one))) return "must be one of the choices";
  return undefined;
}

/** The answers as expressions read them: numbers and ticks are what they look like. */
export function toFormInput(
  { pages }: Form,
  values: FormValues,
  body: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    pages
      .flatMap(({ fields }) => fields)
      .map(({ name, type }) => {
        if (type === "file") return [name, fileOf(body[name])];
        const value = readAnswer(values, name);
        if (type === "checkbox") return [name, value === "true"];
        if (type === "number" && typeof value === "string") return [name, Number(value)];
        return [name, value ?? (type === "choices" ? [] : null)];
      }),
  );
}
