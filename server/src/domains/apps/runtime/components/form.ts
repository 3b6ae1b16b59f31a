import { toFormInput } from "#kernel/html/form/form-field.ts";
import type { Field } from "../browser/page-state.ts";
import { rowsOf } from "../sources/load-sources.ts";
import { type LabelOf, labelsOfTable, tableOfForm } from "./column-titles.ts";
import { type RenderContext, type RenderedComponent, sourceValue } from "./render-context.ts";
import { toLabel, toList, toOptions, toText, valueAt } from "./values.ts";

export async function renderForm(ctx: RenderContext): Promise<RenderedComponent> {
  const { props, component, session } = ctx;
  const row = component.dataSource === undefined ? undefined : rowsOf(sourceValue(ctx))[0];
  const { submitLabel = "Save" } = props;
  const labelOf = await labelsOfTable(session, tableOfForm(component));
  const fields = buildFormFields(props, labelOf).map((field) => {
    const stored = row === undefined ? undefined : toStored(valueAt(row, field.name));
    return { ...field, value: stored ?? field.value };
  });
  return { type: "form", title: toText(props["title"]), fields, submitLabel: toText(submitLabel) };
}

/** An expanded reference is selected by its id. */
function toStored(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { id } = value as { readonly id?: unknown };
  return typeof id === "string" ? id : value;
}

/** The fields of a form, with their default values. */
export function buildFormFields(
  props: Readonly<Record<string, unknown>>,
  labelOf: LabelOf = toLabel,
): Field[] {
  return toList(props["fields"]).map((entry) => {
    const field = entry as Record<string, unknown>;
    const { name, label, input, required, options, help } = field;
    const { min, max, maxLength, format, when } = field;
    return {
      name: toText(name),
      label: toText(label ?? labelOf(toText(name))),
      input: toFormInput(input ?? (options === undefined ? "text" : "select")),
      required: required === true,
      options: toOptions(options),
      value: field["default"] ?? null,
      ...(input === "file" && { multiple: true }),
      ...(help !== undefined && { help: toText(help) }),
      ...(typeof min === "number" && { min }),
      ...(typeof max === "number" && { max }),
      ...(typeof maxLength === "number" && { maxLength }),
      ...(typeof format === "string" && { mask: format }),
      ...(when !== undefined && { when: when as NonNullable<Field["when"]> }),
    };
  });
}
