/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Controls of a page and their values. */
import { uploadedIds } from "./upload.ts";

export type Scalar = string | number | boolean | null;
export type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export function isControl(element: Element): element is Control {
  return (
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement
  );
}

export function valueOf(control: Control): Scalar {
  return control instanceof HTMLInputElement && control.type === "checkbox"
    ? control.checked
    : control.value;
}

/** The current values of a form, without its files. */
export function enteredIn(form: HTMLFormElement): Record<string, Scalar> {
  const values: Record<string, Scalar> = {};
  for (const control of form.elements) {
    if (isControl(control) && control.name !== "" && control.type !== "file")
      values[control.name] = valueOf(control);
  }
  return values;
}

/** The values of a form, with the ids of its files after their upload. */
export async function readValues(form: HTMLFormElement): Promise<Record<string, Scalar>> {
  const values = enteredIn(form);
  for (const control of form.elements) {
    if (control instanceof HTMLInputElement && control.type === "file")
      values[control.name] = await uploadedIds(control);
  }
  return values;
}

export function byId(id: string): HTMLElement {
  const element = document.querySelector<HTMLElement>(`#${CSS.escape(id)}`);
  if (!element) throw new Error(`The page has no ${id}.`);
  return element;
}
