import type { Field } from "./browser/tree.ts";

const TEXT_CHARACTERS_MAX = 20_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** As browsers send it, or with a zone. */
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?$/;

/** The values of a form that was filled in, or what is wrong with them by the names of the fields. */
export type Filled =
  | { readonly values: Readonly<Record<string, unknown>> }
  | { readonly faults: Readonly<Record<string, string>> };

/** Only what the form asks for is taken; what is left empty is null. */
export function fill(fields: readonly Field[], given: Readonly<Record<string, unknown>>): Filled {
  const values: Record<string, unknown> = {};
  const faults: Record<string, string> = {};
  for (const field of fields) {
    const read = readField(field, Object.hasOwn(given, field.name) ? given[field.name] : undefined);
    if ("fault" in read) faults[field.name] = read.fault;
    else values[field.name] = read.value;
  }
  return Object.keys(faults).length > 0 ? { faults } : { values };
}

type Read = { readonly value: unknown } | { readonly fault: string };

function readField(field: Field, given: unknown): Read {
  const { input, required } = field;
  if (input === "checkbox") {
    const value = given === true || given === "true" || given === "on";
    return required && !value ? { fault: "must be ticked" } : { value };
  }
  const isNothing = given === undefined || given === null || given === "";
  if (isNothing) return required ? { fault: "is required" } : { value: null };
  if (typeof given === "object" || typeof given === "boolean")
    return { fault: "has the wrong form" };
  return readText(field, String(given as string | number));
}

function readText({ input, options }: Field, text: string): Read {
  if (text.length > TEXT_CHARACTERS_MAX) return { fault: "is too long" };
  switch (input) {
    case "number": {
      const value = text.trim() === "" ? Number.NaN : Number(text);
      return Number.isFinite(value) ? { value } : { fault: "must be a number" };
    }
    case "date":
      return DATE.test(text) && isTime(text) ? { value: text } : { fault: "must be a date" };
    case "datetime": {
      if (!DATE_TIME.test(text) || !isTime(text)) return { fault: "must be a date and a time" };
      // Without a zone it is meant as everything here is shown: in UTC.
      const zoned = /(Z|[+-]\d{2}:\d{2})$/.test(text) ? text : `${text}Z`;
      return { value: new Date(zoned).toISOString() };
    }
    case "select":
      return options.some(({ value }) => value === text)
        ? { value: text }
        : { fault: "must be one of the options" };
    default:
      return { value: text };
  }
}

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}
