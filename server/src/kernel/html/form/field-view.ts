/**
 * Renders a field as HTML: its label, control, help and error, associated with each other. Browsers load this
 * file too.
 */
import { h, type VNode } from "../vnode.ts";
import { type FormField, toControlTexts } from "./form-field.ts";

export interface FieldState {
  /** Unique on the page. */
  readonly id: string;
  /** A complete sentence. */
  readonly error?: string | undefined;
  /** Texts of the control, instead of the field's value. */
  readonly texts?: readonly string[] | undefined;
  /** Additional attributes of the control. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** False for controls outside a form, which are never required. */
  readonly marksOptional?: boolean;
}

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export function fieldView(field: FormField, state: FieldState): VNode {
  const { name, label, input, required, help } = field;
  const { id, error, texts = toControlTexts(field, field.value), marksOptional = true } = state;
  if (input === "hidden") return h("input", { type: "hidden", name, value: texts[0] ?? "" });
  const helpId = help !== undefined && help !== "" && `${id}-help`;
  const errorId = error !== undefined && `${id}-error`;
  const describedBy = [helpId, errorId].filter((one) => one !== false).join(" ");
  const bound = {
    "aria-describedby": describedBy === "" ? undefined : describedBy,
    ...state.attributes,
  };
  const invalid = { "aria-invalid": error !== undefined && "true" };
  const words = [
    helpId !== false && h("p", { class: "help", id: helpId }, help),
    errorId !== false && h("p", { class: "error", id: errorId }, error),
  ];
  const named = [
    label,
    !required && marksOptional && h("span", { class: "optional" }, " (optional)"),
  ];
  if (input === "radio" || input === "checkboxes") {
    const group = input === "radio" && { role: "radiogroup", ...invalid };
    const each = input === "radio" ? { required } : invalid;
    return h(
      "fieldset",
      { class: "field", "data-key": id, ...bound, ...group },
      h("legend", {}, named),
      optionViews(field, { id, texts, attributes: each }),
      words,
    );
  }
  const attributes = { id, name, required, ...invalid, ...bound };
  const labelNode = h("label", { for: id }, input === "checkbox" ? label : named);
  const control = controlView(field, texts, attributes);
  return h(
    "div",
    { class: input === "checkbox" ? "field tick" : "field", "data-key": id },
    input === "checkbox" ? [control, labelNode] : [labelNode, control],
    input === "file" && field.keepsFiles === true && keptFileViews(field, texts),
    words,
  );
}

function controlView(field: FormField, texts: readonly string[], attributes: Attributes): VNode {
  const { input, options = [], maxLength, placeholder, accept } = field;
  const [text = ""] = texts;
  if (input === "textarea" || input === "lines") {
    return h("textarea", { ...attributes, rows: 4, maxlength: maxLength, placeholder }, text);
  }
  if (input === "select") {
    return h("select", attributes, choiceViews(options, text, field.required));
  }
  if (input === "checkbox") {
    const checked = text === "true";
    return h("input", { ...attributes, type: "checkbox", value: "true", checked });
  }
  if (input === "file") {
    return h("input", { ...attributes, type: "file", multiple: field.multiple, accept });
  }
  return h("input", {
    ...attributes,
    ...TYPES[input],
    maxlength: maxLength,
    placeholder: placeholder ?? field.mask,
    value: input === "password" ? "" : text,
    autocomplete: field.autocomplete ?? chooseAutocomplete(field),
  });
}

const TYPES: Readonly<Record<string, Attributes>> = {
  text: { type: "text" },
  search: { type: "search" },
  // A number input sends nothing for invalid text, so the form could not show it again.
  number: { type: "text", inputmode: "decimal" },
  date: { type: "date" },
  time: { type: "time" },
  datetime: { type: "datetime-local" },
  email: { type: "email" },
  url: { type: "url" },
  tel: { type: "tel" },
  password: { type: "password" },
};

/** Autocomplete names of fields (WCAG 1.3.5). */
const KNOWN_NAMES: Readonly<Record<string, string>> = {
  name: "name",
  fullname: "name",
  firstname: "given-name",
  lastname: "family-name",
  surname: "family-name",
  company: "organization",
  organisation: "organization",
  organization: "organization",
  street: "street-address",
  city: "address-level2",
  postcode: "postal-code",
  postalcode: "postal-code",
  zip: "postal-code",
  country: "country-name",
};
const BY_INPUT: Readonly<Record<string, string>> = {
  email: "email",
  tel: "tel",
  password: "new-password",
};

function chooseAutocomplete({ name, input }: FormField): string | undefined {
  if (input !== "text") return BY_INPUT[input];
  const known = name.toLowerCase().replaceAll(/[^a-z]/g, "");
  return Object.hasOwn(KNOWN_NAMES, known) ? KNOWN_NAMES[known] : undefined;
}

/** The options of a list, with an added empty one if needed. */
function choiceViews(
  options: NonNullable<FormField["options"]>,
  chosen: string,
  isRequired: boolean,
): VNode[] {
  const isKnown = options.some(({ value }) => String(value) === chosen);
  const none = h("option", { value: "", selected: !isKnown }, isRequired ? "Choose" : "–");
  return [
    ...(options.some(({ value }) => value === "") ? [] : [none]),
    ...options.map(({ value, label }) =>
      h("option", { value: String(value), selected: String(value) === chosen }, label),
    ),
  ];
}

/** Radio buttons, or a checkbox per option. The first has the id of the field, which the error summary links to. */
function optionViews(
  { name, input, options = [] }: FormField,
  {
    id,
    texts,
    attributes,
  }: {
    readonly id: string;
    readonly texts: readonly string[];
    readonly attributes: Attributes;
  },
): VNode[] {
  return options.map(({ value, label }, at) =>
    h(
      "label",
      {},
      h("input", {
        type: input === "radio" ? "radio" : "checkbox",
        id: at === 0 ? id : undefined,
        name,
        value: String(value),
        checked: texts.includes(String(value)),
        ...attributes,
      }),
      label,
    ),
  );
}

/** Files of a rejected form. The form sends their ids again. */
function keptFileViews({ name }: FormField, ids: readonly string[]): VNode[] {
  if (ids.length === 0) return [];
  return [
    ...ids.map((value) => h("input", { type: "hidden", name, value })),
    h(
      "p",
      { class: "help" },
      ids.length === 1 ? "1 file is attached." : `${ids.length} files are attached.`,
    ),
  ];
}
