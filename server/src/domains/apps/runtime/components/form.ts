import type { Field } from "../browser/page-state.ts";
import { rowsOf } from "../sources/load-sources.ts";
import { type RenderContext, type RenderedComponent, sourceValue } from "./render-context.ts";
import { toList, toOptions, toText, valueAt } from "./values.ts";

export function renderForm(ctx: RenderContext): RenderedComponent {
  const { props, component } = ctx;
  const row = component.dataSource === undefined ? undefined : rowsOf(sourceValue(ctx))[0];
  const { submitLabel = "Save" } = props;
  const fields = buildFormFields(props).map((field) => {
    const stored = row === undefined ? undefined : toStored(valueAt(row, field.name));
    return { ...field, value: stored ?? field.value };
  });
  return { type: "form", title: toText(props["title"]), fields, submitLabel: toText(submitLabel) };
}

/** A reference that was read with its record is chosen by its id. */
function toStored(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { id } = value as { readonly id?: unknown };
  return typeof id === "string" ? id : value;
}

/** The fields of a form, with their default values. */
export function buildFormFields(props: Readonly<Record<string, unknown>>): Field[] {
  return toList(props["fields"]).map((entry) => {
    const field = entry as Record<string, unknown>;
    const { name, label, input, required, options, help } = field;
    const { min, max, maxLength, format, when } = field;
    return {
      name: toText(name),
      label: toText(label ?? name),
      input: toText(input ?? (options === undefined ? "text" : "select")),
      required: required === true,
      options: toOptions(options),
      value: field["default"] ?? null,
      help: help === undefined ? undefined : toText(help),
      ...(typeof min === "number" && { min }),
      ...(typeof max === "number" && { max }),
      ...(typeof maxLength === "number" && { maxLength }),
      ...(typeof format === "string" && { mask: format }),
      ...(when !== undefined && { when: when as NonNullable<Field["when"]> }),
    };
  });
}
