import { type Markup, markup } from "#kernel/html/markup.ts";
import type { PlainField, PostedFields } from "./schema-field.ts";

/** A form that was sent and is shown again: what was in it, and what is wrong. */
export interface Posted {
  readonly fields: PostedFields;
  /** By the pointer of the field. */
  readonly errors: ReadonlyMap<string, string>;
  /** The sentence above all. */
  readonly problem: string | undefined;
}

const idOf = (pointer: string): string => `field-${pointer.replaceAll(/[^A-Za-z0-9]+/g, "-")}`;

/** The fields of a form, with what was written and what is wrong with it. */
export function renderFields(fields: readonly PlainField[], posted: Posted | undefined): Markup {
  const groups = Map.groupBy(fields, ({ group }) => group);
  return markup`${posted && renderSummary(fields, posted)}
${[...groups].map(([group, own]) =>
  group === undefined
    ? markup`${own.map((field) => renderField(field, posted))}`
    : markup`<fieldset class="plain-group"><legend>${group}</legend>${own.map((field) => renderField(field, posted))}</fieldset>`,
)}`;
}

/** A summary of the errors above the form, leading to each field; also of those that no field is for. */
function renderSummary(fields: readonly PlainField[], { errors, problem }: Posted): Markup {
  const labels = new Map(fields.map(({ pointer, label }) => [pointer, label]));
  const lines = [...errors].map(([pointer, message]) => {
    const label = labels.get(pointer);
    return label === undefined
      ? markup`<li>${pointer.slice(1)} ${message}</li>`
      : markup`<li><a href="#${idOf(pointer)}">${label}</a> ${message}</li>`;
  });
  if (lines.length === 0 && problem === undefined) return markup``;
  return markup`<div class="problem" role="alert"><p>${problem ?? (lines.length === 1 ? "One thing to put right" : `${lines.length} things to put right`)}</p>${lines.length > 0 && markup`<ul>${lines}</ul>`}</div>`;
}

function renderField(field: PlainField, posted: Posted | undefined): Markup {
  const { pointer, label, help, isRequired, kind } = field;
  const error = posted?.errors.get(pointer);
  const id = idOf(pointer);
  const texts = posted?.fields.get(pointer) ?? initialTexts(field);
  const described = [error !== undefined && `${id}-error`, help !== undefined && `${id}-help`]
    .filter((one) => one !== false)
    .join(" ");
  const state = markup`${described !== "" && markup` aria-describedby="${described}"`}${error !== undefined && markup` aria-invalid="true"`}`;
  const words = markup`${help !== undefined && markup`<small id="${id}-help">${help}</small>`}${error !== undefined && markup`<small class="problem" id="${id}-error">${error}</small>`}`;
  const optional = markup`${!isRequired && markup` <small>optional</small>`}`;
  if (kind === "check") {
    return markup`<p class="plain-field"><label><input type="checkbox" id="${id}" name="${pointer}" value="true"${texts[0] === "true" && markup` checked`}${state}> ${label}</label>${words}</p>`;
  }
  if (kind === "choice" || kind === "several") {
    return markup`<fieldset class="plain-field" id="${id}"><legend>${label}${optional}</legend>${renderChoices(field, texts)}${words}</fieldset>`;
  }
  return markup`<p class="plain-field"><label for="${id}">${label}${optional}</label>${renderControl(field, { id, texts, state })}${words}</p>`;
}

function renderChoices({ pointer, kind, options }: PlainField, texts: readonly string[]): Markup {
  const type = kind === "several" ? "checkbox" : "radio";
  return markup`${options.map(
    ({ value, label }) =>
      markup`<label><input type="${type}" name="${pointer}" value="${String(value)}"${texts.includes(String(value)) && markup` checked`}> ${label}</label>`,
  )}`;
}

interface ControlState {
  readonly id: string;
  readonly texts: readonly string[];
  readonly state: Markup;
}

function renderControl(field: PlainField, { id, texts, state }: ControlState): Markup {
  const { pointer, kind, inputType, isRequired, maxLength } = field;
  const required = markup`${isRequired && markup` required`}`;
  const bound = markup`${maxLength !== undefined && markup` maxlength="${maxLength}"`}`;
  const [text = ""] = texts;
  if (kind === "area" || kind === "lines") {
    return markup`<textarea id="${id}" name="${pointer}" rows="5"${bound}${required}${state}>${text}</textarea>${kind === "lines" && markup`<small>One in each line</small>`}`;
  }
  if (kind === "file") {
    // Files that came with a form that was wrong are kept, by their ids.
    const kept = texts.map(
      (fileId) => markup`<input type="hidden" name="${pointer}" value="${fileId}">`,
    );
    return markup`<input type="file" id="${id}" name="${pointer}" multiple${state}>${kept}${texts.length > 0 && markup`<small>${texts.length} already sent</small>`}`;
  }
  const type = kind === "number" ? "text" : inputType;
  return markup`<input type="${type}" id="${id}" name="${pointer}" value="${text}"${kind === "number" && markup` inputmode="decimal"`}${bound}${required}${state}>`;
}

function initialTexts({ initial }: PlainField): readonly string[] {
  if (initial === undefined || initial === null) return [];
  if (Array.isArray(initial)) return initial.map(String);
  return [String(initial as string | number | boolean)];
}
