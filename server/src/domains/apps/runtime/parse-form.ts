/** Parses the values that a browser sends for a form, by the types of its fields. */
import { toMoment } from "./browser/local-time.ts";
import type { Field, Region } from "./browser/page-state.ts";

const TEXT_CHARACTERS_MAX = 20_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** As browsers send it, or with a time zone. */
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?$/;

/** The values of a submitted form, or its errors by field name. */
export type ParsedForm =
  | { readonly values: Readonly<Record<string, unknown>> }
  | { readonly errors: Readonly<Record<string, string>> };

/** Reads only the fields of the form; an empty one is null. A time without a zone is of the region's. */
export function parseForm(
  fields: readonly Field[],
  input: Readonly<Record<string, unknown>>,
  { timeZone }: Pick<Region, "timeZone">,
): ParsedForm {
  const values: Record<string, unknown> = {};
  const errors: Record<string, string> = {};
  for (const field of fields) {
    // A field that is not asked for is not taken, whatever came.
    if (!isAsked(field, input)) continue;
    const value = Object.hasOwn(input, field.name) ? input[field.name] : undefined;
    const parsed = parseField(field, value, timeZone);
    if ("error" in parsed) errors[field.name] = parsed.error;
    else values[field.name] = parsed.value;
  }
  return Object.keys(errors).length > 0 ? { errors } : { values };
}

/** Says whether a field is asked for, given the values of the others. */
function isAsked({ when }: Field, input: Readonly<Record<string, unknown>>): boolean {
  if (!when) return true;
  const value = Object.hasOwn(input, when.field) ? input[when.field] : undefined;
  return when.is.some((one) => one === value || String(one) === String(value as string));
}

type ParsedField = { readonly value: unknown } | { readonly error: string };

function parseField(field: Field, value: unknown, timeZone: string): ParsedField {
  const { input, required } = field;
  if (input === "checkbox") {
    const isTicked = value === true || value === "true" || value === "on";
    return required && !isTicked ? { error: "must be ticked" } : { value: isTicked };
  }
  const isEmpty = value === undefined || value === null || value === "";
  if (isEmpty) return required ? { error: "is required" } : { value: null };
  if (typeof value === "object" || typeof value === "boolean")
    return { error: "has the wrong form" };
  return parseText(field, String(value as string | number), timeZone);
}

function parseText(field: Field, text: string, timeZone: string): ParsedField {
  const { input, options, maxLength = TEXT_CHARACTERS_MAX, mask } = field;
  if (text.length > maxLength) return { error: `must have at most ${maxLength} characters` };
  if (mask !== undefined && !fitsMask(text, mask)) return { error: `must look like ${mask}` };
  switch (input) {
    case "number": {
      const value = text.trim() === "" ? Number.NaN : Number(text);
      return Number.isFinite(value) ? checkBounds(value, field) : { error: "must be a number" };
    }
    case "date":
      return DATE.test(text) && isTime(text) ? { value: text } : { error: "must be a date" };
    case "datetime": {
      if (!DATE_TIME.test(text) || !isTime(text)) return { error: "must be a date and a time" };
      const hasZone = /(Z|[+-]\d{2}:\d{2})$/.test(text);
      const moment = hasZone ? new Date(text) : toMoment(text, timeZone);
      return { value: moment.toISOString() };
    }
    case "select":
      return options.some(({ value }) => value === text)
        ? { value: text }
        : { error: "must be one of the options" };
    case "email":
      return EMAIL.test(text) ? { value: text } : { error: "must be an e-mail address" };
    case "url":
      return URL.canParse(text) && /^https?:/.test(text)
        ? { value: text }
        : { error: "must be an address such as https://example.com" };
    case "file":
      return FILES.test(text) ? { value: text.split(",") } : { error: "must be a file" };
    default:
      return { value: text };
  }
}

/** Each part of it is matched by one sign, so that no text takes long. */
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,255}$/;
const FILES = /^file_[0-9a-z]{26}(,file_[0-9a-z]{26}){0,19}$/;

function checkBounds(value: number, { min, max }: Field): ParsedField {
  if (min !== undefined && value < min) return { error: `must be at least ${min}` };
  return max !== undefined && value > max ? { error: `must be at most ${max}` } : { value };
}

const MASK_SIGNS: Readonly<Record<string, RegExp>> = {
  "#": /^\d$/,
  A: /^\p{L}$/u,
  "*": /^[\p{L}\d]$/u,
};

/** Compares sign by sign: a mask is no regular expression, which somebody could make slow. */
function fitsMask(text: string, mask: string): boolean {
  const signs = Array.from(text);
  const pattern = Array.from(mask);
  return (
    signs.length === pattern.length &&
    pattern.every((sign, at) => MASK_SIGNS[sign]?.test(signs[at] ?? "") ?? sign === signs[at])
  );
}

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}
