/** The fields of a form, whatever it was made from. Browsers load this file too. */

export const FORM_INPUTS = [
  "text",
  "textarea",
  "search",
  "number",
  "date",
  "time",
  "datetime",
  "email",
  "url",
  "tel",
  "password",
  "select",
  "radio",
  "checkboxes",
  "checkbox",
  "lines",
  "file",
  "hidden",
] as const;
export type FormInput = (typeof FORM_INPUTS)[number];

/** An input by its name; a line of text for a name that is none's. */
export function toFormInput(name: unknown): FormInput {
  return FORM_INPUTS.find((input) => input === name) ?? "text";
}

export interface FormOption {
  /** A form sends it as a text. */
  readonly value: string | number | boolean | null;
  readonly label: string;
}

export interface FormField {
  /** Unique in its form. */
  readonly name: string;
  readonly label: string;
  readonly input: FormInput;
  readonly required: boolean;
  /** Of `select`, `radio` and `checkboxes`. */
  readonly options?: readonly FormOption[];
  /** The value it holds at first. */
  readonly value?: unknown;
  readonly help?: string | undefined;
  /** The heading above it and its neighbours of the same group. */
  readonly group?: string | undefined;
  readonly placeholder?: string | undefined;
  /** The kind of text a browser may offer; chosen by input and name when absent. */
  readonly autocomplete?: string | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly maxLength?: number | undefined;
  /** How a text is made: `#` is a digit, `A` a letter, `*` either. */
  readonly mask?: string | undefined;
  /** Of a number: its value is a text with all its digits. */
  readonly exact?: boolean;
  /** Of files: whether there may be several, what a browser offers, and whether a refused form keeps them. */
  readonly multiple?: boolean;
  readonly accept?: string | undefined;
  readonly keepsFiles?: boolean;
}

/** The texts and files that a form sent, by the names of its fields. A reader of files chooses what stands for one. */
export type PostedForm = ReadonlyMap<string, readonly (string | object)[]>;

/** The texts that a field sent. */
export function readTexts(posted: PostedForm, name: string): readonly string[] {
  return (posted.get(name) ?? []).filter((one) => typeof one === "string");
}

/** The texts of the control of a field that holds a value. */
export function toControlTexts({ input }: FormField, value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = values.map((one) =>
    typeof one === "object" ? JSON.stringify(one) : String(one as string | number),
  );
  if (input === "lines") return [texts.join("\n")];
  if (input === "date") return texts.map((text) => text.slice(0, 10));
  // A browser takes no time zone.
  return input === "datetime" ? texts.map((text) => text.slice(0, 16)) : texts;
}
