/** A field of an app: times use its region, and files are uploaded as soon as they are selected. */
import { type FieldState, fieldView } from "#kernel/html/form/field-view.ts";
import type { VNode } from "#kernel/html/vnode.ts";
import { toControlTime } from "./format.ts";
import type { Field } from "./page-state.ts";

export function appField(field: Field, state: FieldState): VNode {
  const { input, value } = field;
  const isTime = input === "datetime" && typeof value === "string";
  // Answers in an app are mostly about other people.
  return fieldView(
    { autocomplete: "off", ...field },
    {
      ...state,
      ...(isTime && { texts: [toControlTime(value)] }),
      ...(input === "file" && { attributes: { ...state.attributes, "data-upload": "true" } }),
    },
  );
}
