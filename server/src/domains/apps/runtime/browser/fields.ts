import type { Field, Option } from "./tree.ts";
import { h, type VNode } from "./vnode.ts";

/** How a field is found, and what is wrong with it. */
export interface FieldPlace {
  /** Unique on the page. */
  readonly id: string;
  readonly fault?: string | undefined;
  /** Further attributes of the control. */
  readonly marks?: Readonly<Record<string, string>>;
}

/** A control with its label, its help, and what is wrong with it. */
export function fieldView(field: Field, place: FieldPlace): VNode {
  const { label, input, required, help } = field;
  const { id, fault } = place;
  const helpId = help === undefined ? undefined : `${id}-help`;
  const faultId = fault === undefined ? undefined : `${id}-fault`;
  const described = [faultId, helpId].filter((one) => one !== undefined).join(" ");
  const attributes = {
    id,
    name: field.name,
    required,
    "aria-invalid": fault !== undefined && "true",
    "aria-describedby": described === "" ? undefined : described,
    ...place.marks,
  };
  const named = h(
    "label",
    { for: id },
    label,
    required && h("span", { class: "faint" }, " (required)"),
  );
  const control = controlOf(field, attributes);
  return h(
    "div",
    { class: input === "checkbox" ? "field tick" : "field", "data-key": id },
    input === "checkbox" ? [control, named] : [named, control],
    fault !== undefined && h("p", { class: "fault", id: faultId }, `${label} ${fault}.`),
    help !== undefined && h("p", { class: "faint help", id: helpId }, help),
  );
}

type Attributes = Readonly<Record<string, string | boolean | undefined>>;

const TYPES: Readonly<Record<string, string>> = {
  number: "number",
  date: "date",
  datetime: "datetime-local",
};

function controlOf({ input, options, value }: Field, attributes: Attributes): VNode {
  const text = textOf(value, input);
  switch (input) {
    case "textarea":
      return h("textarea", { ...attributes, rows: 4 }, text);
    case "checkbox":
      return h("input", { ...attributes, type: "checkbox", checked: value === true });
    case "select":
      return h("select", attributes, optionViews(options, text));
    default:
      return h("input", {
        ...attributes,
        type: TYPES[input] ?? "text",
        step: input === "number" && "any",
        value: text,
        autocomplete: "off",
      });
  }
}

/** With nothing to begin with, unless one is chosen already. */
function optionViews(options: readonly Option[], chosen: string): VNode[] {
  const isKnown = options.some(({ value }) => value === chosen);
  const none = h("option", { value: "", selected: !isKnown }, "–");
  return [
    ...(options.some(({ value }) => value === "") ? [] : [none]),
    ...options.map(({ value, label }) => h("option", { value, selected: value === chosen }, label)),
  ];
}

/** A moment as its control takes it: to the minute, in UTC. */
function textOf(value: unknown, input: string): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value as string | number);
  if (input === "datetime") return text.slice(0, 16);
  return input === "date" ? text.slice(0, 10) : text;
}
