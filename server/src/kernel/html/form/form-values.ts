/** Parses form values by field type, with an error message per invalid field for the person who submits it. */
import { EMAIL_PATTERN } from "../../schema/schema.ts";
import { type FormField, type FormInput, type PostedForm, readTexts } from "./form-field.ts";
import { toMoment } from "./local-time.ts";

export interface ParsedForm {
  /** Values by field name. An empty field is null, an empty `checkboxes` an empty list, an unset `checkbox` false. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Error messages as complete sentences. If there are any, the values are incomplete. */
  readonly errors: ReadonlyMap<string, string>;
}

export interface ParseOptions {
  /** The default time zone. */
  readonly timeZone?: string;
  /** True if the submitted value of a file field is a file. */
  readonly isFile?: (sent: string | object) => boolean;
}

/** Parses the given fields of a form and ignores all others. */
export function parseForm(
  fields: readonly FormField[],
  posted: PostedForm,
  options: ParseOptions = {},
): ParsedForm {
  const values: (readonly [string, unknown])[] = [];
  const errors = new Map<string, string>();
  for (const field of fields) {
    const parsed = parseField(field, posted, options);
    if ("error" in parsed) errors.set(field.name, parsed.error);
    else values.push([field.name, parsed.value]);
  }
  return { values: Object.fromEntries(values), errors };
}

type Parsed = { readonly value: unknown } | { readonly error: string };

const TEXT_CHARACTERS_MAX = 20_000;
/** Inputs whose text must not be trimmed. */
const VERBATIM: ReadonlySet<string> = new Set(["textarea", "password", "hidden"]);

function parseField(field: FormField, posted: PostedForm, options: ParseOptions): Parsed {
  const { name, input, required } = field;
  if (input === "file") return parseFiles(field, posted.get(name) ?? [], options);
  // Browsers send a line break as two characters.
  const texts = readTexts(posted, name).map((text) => text.replaceAll("\r\n", "\n"));
  const longest = field.maxLength ?? TEXT_CHARACTERS_MAX;
  if (texts.some((text) => text.length > longest)) {
    return { error: `Use at most ${longest} characters.` };
  }
  if (input === "checkboxes") return parseChosen(field, texts);
  const [text = ""] = texts;
  if (input === "checkbox") {
    const isTicked = text === "true" || text === "on";
    return required && !isTicked ? { error: "Tick this box." } : { value: isTicked };
  }
  if (text.trim() === "") return required ? { error: missing(field) } : { value: null };
  return parseText(field, VERBATIM.has(input) ? text : text.trim(), options);
}

const missing = ({ input }: FormField): string =>
  input === "select" || input === "radio" ? "Choose an option." : "This field is required.";

function parseFiles(
  { required }: FormField,
  sent: readonly (string | object)[],
  { isFile = () => true }: ParseOptions,
): Parsed {
  const files = sent.filter((one) => one !== "");
  if (!files.every(isFile)) return { error: "Upload a file." };
  if (files.length === 0) return required ? { error: "Choose a file." } : { value: null };
  return { value: files };
}

function parseChosen({ options = [], required }: FormField, texts: readonly string[]): Parsed {
  const byText = new Map(options.map(({ value }) => [String(value), value]));
  const filled = new Set(texts.filter((text) => text !== ""));
  if ([...filled].some((text) => !byText.has(text))) return { error: "Choose from the options." };
  if (filled.size === 0 && required) return { error: "Choose at least one option." };
  return { value: [...byText].filter(([text]) => filled.has(text)).map(([, value]) => value) };
}

const EMAIL = new RegExp(EMAIL_PATTERN);
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/;
/** The browser's format, or with a time zone. */
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?$/;
const PHONE = /^\+?[\d\s()./-]{3,40}$/;

type ParseText = (text: string, field: FormField, options: ParseOptions) => Parsed;

const check =
  (isRight: (text: string) => boolean, error: string): ParseText =>
  (text) =>
    isRight(text) ? { value: text } : { error };

const parseOption: ParseText = (text, { options = [] }) => {
  const option = options.find(({ value }) => String(value) === text);
  return option ? { value: option.value } : { error: "Choose one of the options." };
};

const parseLines: ParseText = (text) => {
  const lines = text.split("\n").map((line) => line.trim());
  return { value: lines.filter((line) => line !== "") };
};

/** All other inputs are plain texts. */
const PARSERS: Partial<Readonly<Record<FormInput, ParseText>>> = {
  number: parseNumber,
  date: check(isDay, "Enter a date, for example 2026-11-19."),
  time: check((text) => TIME.test(text), "Enter a time, for example 14:30."),
  datetime: parseMoment,
  email: check(
    (text) => EMAIL.test(text),
    "Enter an e-mail address, for example name@example.com.",
  ),
  url: check(
    (text) => /^https?:\/\//i.test(text) && URL.canParse(text),
    "Enter a web address, for example https://example.com.",
  ),
  tel: check((text) => PHONE.test(text), "Enter a phone number, for example +49 30 1234567."),
  select: parseOption,
  radio: parseOption,
  lines: parseLines,
};

function parseText(field: FormField, text: string, options: ParseOptions): Parsed {
  const { input, mask } = field;
  if (mask !== undefined && !fitsMask(text, mask)) {
    return { error: `Use the format ${mask}: # is a digit, A is a letter, and * is either.` };
  }
  return PARSERS[input]?.(text, field, options) ?? { value: text };
}

function parseNumber(text: string, { min, max, exact = false }: FormField): Parsed {
  // A comma before three digits can be a thousands separator, so it is rejected.
  const plain = /^[+-]?\d*,(?!\d{3}$)\d+$/.test(text) ? text.replace(",", ".") : text;
  const value = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i.test(plain)
    ? Number(plain)
    : Number.NaN;
  if (!Number.isFinite(value)) return { error: "Enter a number, for example 12.5." };
  if (min !== undefined && value < min) return { error: `Enter a number of at least ${min}.` };
  if (max !== undefined && value > max) return { error: `Enter a number of at most ${max}.` };
  return { value: exact ? plain : value };
}

/** JavaScript parses February 30 as a day in March. */
function isDay(text: string): boolean {
  const time = DATE.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function parseMoment(text: string, _field: FormField, { timeZone = "UTC" }: ParseOptions): Parsed {
  const [, day = "", , , zone] = DATE_TIME.exec(text) ?? [];
  const whole = text.replace(" ", "T");
  if (!isDay(day) || Number.isNaN(Date.parse(whole))) {
    return { error: "Enter a date and a time, for example 2026-11-19 14:30." };
  }
  const moment = zone === undefined ? toMoment(whole, timeZone) : new Date(whole);
  return { value: moment.toISOString() };
}

const MASK_SIGNS: Readonly<Record<string, RegExp>> = {
  "#": /^\d$/,
  A: /^\p{L}$/u,
  "*": /^[\p{L}\d]$/u,
};

/** Compares by character instead of by regular expression, so that no mask can make it slow. */
function fitsMask(text: string, mask: string): boolean {
  const signs = Array.from(text);
  const pattern = Array.from(mask);
  return (
    signs.length === pattern.length &&
    pattern.every((sign, at) => MASK_SIGNS[sign]?.test(signs[at] ?? "") ?? sign === signs[at])
  );
}
