/** Form fields, independent of their source. Browsers load this file too. */

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

/** An input by its name. Default: a text input. */
export function toFormInput(name: unknown): FormInput {
  return FORM_INPUTS.find((input) => input === name) ?? "text";
}

export interface FormOption {
  /** Sent by a form as text. */
  readonly value: string | number | boolean | null;
  readonly label: string;
}

export interface FormField {
  /** Unique in its form. */
  readonly name: string;
  readonly label: string;
  readonly input: FormInput;
  readonly required: boolean;
  /** For `select`, `radio` and `checkboxes`. */
  readonly options?: readonly FormOption[];
  /** The initial value. */
  readonly value?: unknown;
  readonly help?: string | undefined;
  /** The heading above consecutive fields of the same group. */
  readonly group?: string | undefined;
  readonly placeholder?: string | undefined;
  /** The autocomplete value. Default: chosen by input and name. */
  readonly autocomplete?: string | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly maxLength?: number | undefined;
  /** The format of a text: `#` is a digit, `A` a letter, `*` either. */
  readonly mask?: string | undefined;
  /** For numbers: the value is a text with all its digits. */
  readonly exact?: boolean;
  /** For files: whether several are allowed, the accepted types, and whether a rejected form keeps them. */
  readonly multiple?: boolean;
  readonly accept?: string | undefined;
  readonly keepsFiles?: boolean;
}

/** The texts and files of a submitted form by field name. The file reader chooses what represents a file. */
export type PostedForm = ReadonlyMap<string, readonly (string | object)[]>;

/** The submitted texts of a field. */
export function readTexts(posted: PostedForm, name: string): readonly string[] {
  return (posted.get(name) ?? []).filter((one) => typeof one === "string");
}

/** The control texts for a field value. */
export function toControlTexts({ input }: FormField, value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = values.map((one) =>
    typeof one === "object" ? JSON.stringify(one) : String(one as string | number),
  );
  if (input === "lines") return [texts.join("\n")];
  if (input === "date") return texts.map((text) => text.slice(0, 10));
  // Browser controls accept no time zone.
  return input === "datetime" ? texts.map((text) => text.slice(0, 16)) : texts;
}
