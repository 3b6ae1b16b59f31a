import { toControlTime } from "./format.ts";
import type { Field, Option } from "./page-state.ts";
import { h, type VNode } from "./vnode.ts";

/** The id, error and further attributes of a field. */
export interface FieldOptions {
  /** Unique on the page. */
  readonly id: string;
  readonly error?: string | undefined;
  /** Further attributes of the control. */
  readonly attributes?: Readonly<Record<string, string>>;
}

/** A control with its label, help and error. */
export function fieldView(field: Field, fieldOptions: FieldOptions): VNode {
  const { label, input, required, help } = field;
  const { id, error } = fieldOptions;
  const helpId = help === undefined ? undefined : `${id}-help`;
  const errorId = error === undefined ? undefined : `${id}-fault`;
  const describedBy = [errorId, helpId].filter((one) => one !== undefined).join(" ");
  const attributes = {
    id,
    name: field.name,
    required,
    "aria-invalid": error !== undefined && "true",
    "aria-describedby": describedBy === "" ? undefined : describedBy,
    ...fieldOptions.attributes,
  };
  const labelNode = h(
    "label",
    { for: id },
    label,
    required && h("span", { class: "faint" }, " (required)"),
  );
  const control = renderControl(field, attributes);
  return h(
    "div",
    { class: input === "checkbox" ? "field tick" : "field", "data-key": id },
    input === "checkbox" ? [control, labelNode] : [labelNode, control],
    error !== undefined && h("p", { class: "fault", id: errorId }, `${label} ${error}.`),
    help !== undefined && h("p", { class: "faint help", id: helpId }, help),
  );
}

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

const TYPES: Readonly<Record<string, string>> = {
  number: "number",
  date: "date",
  datetime: "datetime-local",
  email: "email",
  url: "url",
};

function renderControl(field: Field, attributes: Attributes): VNode {
  const { input, options, value, min, max, maxLength, mask } = field;
  const text = toControlText(value, input);
  switch (input) {
    case "textarea":
      return h("textarea", { ...attributes, rows: 4, maxlength: maxLength }, text);
    case "file":
      return h("input", { ...attributes, type: "file", multiple: true, "data-upload": true });
    case "checkbox":
      return h("input", { ...attributes, type: "checkbox", checked: value === true });
    case "select":
      return h("select", attributes, optionViews(options, text));
    default:
      return h("input", {
        ...attributes,
        type: TYPES[input] ?? "text",
        step: input === "number" && "any",
        min,
        max,
        maxlength: maxLength,
        placeholder: mask,
        value: text,
        autocomplete: "off",
      });
  }
}

/** Begins with an empty option, unless there is one. */
function optionViews(options: readonly Option[], chosen: string): VNode[] {
  const isKnown = options.some(({ value }) => value === chosen);
  const none = h("option", { value: "", selected: !isKnown }, "–");
  return [
    ...(options.some(({ value }) => value === "") ? [] : [none]),
    ...options.map(({ value, label }) => h("option", { value, selected: value === chosen }, label)),
  ];
}

/** The text of a control. */
function toControlText(value: unknown, input: string): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value) && input === "file") return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value as string | number);
  if (input === "datetime") return toControlTime(text);
  return input === "date" ? text.slice(0, 10) : text;
}
