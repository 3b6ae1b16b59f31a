/** The page of a form: it works without scripts, and each of its pages is sent back with the answers so far. */
import type { Form, FormField } from "#domains/workflows/index.ts";
import { document, type HtmlDocument, type Markup, markup } from "#kernel/html/markup.ts";

export type FormValues = Readonly<Record<string, string | readonly string[]>>;

/** The name of the hidden field that says which page was sent; no field of a form can have it. */
export const PAGE_FIELD = "$page";
/** A field that people do not see, and programs that fill in everything do. */
export const TRAP_FIELD = "$website";

/** The answer to a field; one may be named as something that every object has. */
export function readAnswer(values: FormValues, name: string): FormValues[string] | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** One page of a form, with what was filled in and what is wrong with it. */
export function formPage(
  form: Form,
  at: number,
  { values, errors }: { readonly values: FormValues; readonly errors: ReadonlyMap<string, string> },
): HtmlDocument {
  const { title, description, pages, submit = "Send", accent } = form;
  const page = pages[at] ?? { fields: [] };
  const others = pages.filter((_, index) => index !== at).flatMap(({ fields }) => fields);
  const isLast = at === pages.length - 1;
  const count = pages.length > 1 && markup`<p class="faint">Page ${at + 1} of ${pages.length}</p>`;
  const alarm =
    errors.size > 0 && markup`<p class="alarm" role="alert">Please look at what is marked.</p>`;
  return document({
    title,
    accent,
    body: markup`<h1>${title}</h1>
${at === 0 && description !== undefined && description.split(/\n{2,}/).map((part) => markup`<p>${part}</p>`)}
${count}
${page.title !== undefined && markup`<h2>${page.title}</h2>`}
${alarm}
<form method="post"${page.fields.some(({ type }) => type === "file") && markup` enctype="multipart/form-data"`}>
<input type="hidden" name="${PAGE_FIELD}" value="${at}">
<div hidden><label>Leave this empty <input name="${TRAP_FIELD}" tabindex="-1" autocomplete="off"></label></div>
${others.flatMap((field) => hiddenInputs(field.name, readAnswer(values, field.name)))}
${page.fields.map((field) => fieldMarkup(field, readAnswer(values, field.name), errors.get(field.name)))}
<button type="submit">${isLast ? submit : "Next"}</button>
${at > 0 && markup`<button class="second" type="submit" name="$back" value="1" formnovalidate>Back</button>`}
</form>`,
  });
}

/** The page that follows a form that was sent. */
export function sentPage(
  { title, thanks, accent }: Form,
  answer: string | undefined,
): HtmlDocument {
  const isSilent = answer === undefined || answer === "";
  const text = isSilent ? (thanks ?? "Thank you. We have got what you sent.") : answer;
  return document({
    title,
    accent,
    body: markup`<h1>${title}</h1>
<div role="status">${text.split(/\n{2,}/).map((part) => markup`<p>${part}</p>`)}</div>`,
  });
}

function hiddenInputs(name: string, value: FormValues[string] | undefined): Markup[] {
  const all = value === undefined ? [] : typeof value === "string" ? [value] : value;
  return all.map((one) => markup`<input type="hidden" name="${name}" value="${one}">`);
}

function fieldMarkup(
  field: FormField,
  given: FormValues[string] | undefined,
  error: string | undefined,
): Markup {
  const { name, label = field.name, type = "text", help } = field;
  const value = given ?? field.value ?? "";
  const first = typeof value === "string" ? value : (value[0] ?? "");
  if (type === "hidden") return markup`<input type="hidden" name="${name}" value="${first}">`;
  const note = markup`${help !== undefined && markup`<p class="faint">${help}</p>`}
${error !== undefined && markup`<p class="alarm" role="alert">${label}: ${error}</p>`}`;
  if (type === "checkbox") {
    return markup`<p><label><input type="checkbox" name="${name}" value="true"${first === "true" && markup` checked`}${field.required && markup` required`}> ${label}</label></p>${note}`;
  }
  if (type === "choices") {
    const chosen = typeof value === "string" ? [value] : value;
    return markup`<fieldset><legend>${label}</legend>
${(field.options ?? []).map((option) => markup`<p><label><input type="checkbox" name="${name}" value="${option}"${chosen.includes(option) && markup` checked`}> ${option}</label></p>`)}
</fieldset>${note}`;
  }
  return markup`<label>${label}${field.required && markup` <span aria-hidden="true">*</span>`}
${inputMarkup(field, first, error !== undefined)}</label>${note}`;
}

function inputMarkup(field: FormField, value: string, isWrong: boolean): Markup {
  const { name, type = "text", placeholder = "", maxLength = TEXT_MAX } = field;
  const marks = markup`${field.required && markup` required`}${isWrong && markup` aria-invalid="true"`}`;
  if (type === "choice") {
    const options = ["", ...(field.options ?? [])].map(
      (option) =>
        markup`<option value="${option}"${option === value && markup` selected`}>${option === "" ? "Choose" : option}</option>`,
    );
    return markup`<select name="${name}"${marks}>${options}</select>`;
  }
  if (type === "textarea") {
    return markup`<textarea name="${name}" rows="5" maxlength="${maxLength}" placeholder="${placeholder}"${marks}>${value}</textarea>`;
  }
  if (type === "file") return markup`<input type="file" name="${name}"${marks}>`;
  const initial = type === "password" ? "" : value;
  return markup`<input type="${type}" name="${name}" value="${initial}" maxlength="${maxLength}" placeholder="${placeholder}"${type === "number" && markup` step="any"`}${marks}>`;
}

export const TEXT_MAX = 10_000;
