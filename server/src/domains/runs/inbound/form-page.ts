/** The page of a form. It works without JavaScript; each page is submitted with all answers so far. */
import type { Form, FormField } from "#domains/workflows/index.ts";
import {
  type FormField as PageField,
  type PostedForm,
  readTexts,
  toFormInput,
} from "#kernel/html/form/form-field.ts";
import { type FormView, renderForm } from "#kernel/html/form/form-view.ts";
import { document, type HtmlDocument, markup } from "#kernel/html/markup.ts";

/** The name of the hidden field that says which page was sent; no field of a form can have it. */
export const PAGE_FIELD = "$page";
/** The name of the back button. */
export const BACK_FIELD = "$back";

interface AnsweredForm extends Pick<FormView, "errors"> {
  /** The answers so far. */
  readonly posted: PostedForm;
}

export function formPage(form: Form, at = 0, answered?: AnsweredForm): HtmlDocument {
  const { title, description, pages, submit = "Send", accent } = form;
  const { title: heading, fields } = pages[at] ?? { fields: [] };
  const posted: PostedForm = answered?.posted ?? new Map();
  const others = pages.filter((_, index) => index !== at).flatMap((page) => page.fields);
  // A page shown for the first time contains the default values.
  const isSeen = answered?.errors !== undefined || fields.some(({ name }) => posted.has(name));
  return document({
    title,
    accent,
    body: markup`<h1>${title}</h1>
${at === 0 && description !== undefined && description.split(/\n{2,}/).map((part) => markup`<p>${part}</p>`)}
${pages.length > 1 && markup`<p class="faint">Page ${at + 1} of ${pages.length}</p>`}
${heading !== undefined && markup`<h2>${heading}</h2>`}
${renderForm({
  fields: fields.map(toPageField),
  posted: isSeen ? posted : undefined,
  errors: answered?.errors,
  hidden: [
    [PAGE_FIELD, String(at)] as const,
    ...others.flatMap(({ name }) => readTexts(posted, name).map((text) => [name, text] as const)),
  ],
  submit: at === pages.length - 1 ? submit : "Next",
  ...(at > 0 && { back: { name: BACK_FIELD, label: "Back" } }),
  isPublic: true,
})}`,
  });
}

/** The page after a submission. */
export function sentPage(
  { title, thanks, accent }: Form,
  answer: string | undefined,
): HtmlDocument {
  const isSilent = answer === undefined || answer === "";
  const text = isSilent ? (thanks ?? "Thank you. We received your answers.") : answer;
  return document({
    title,
    accent,
    body: markup`<h1>${title}</h1>
<div role="status">${text.split(/\n{2,}/).map((part) => markup`<p>${part}</p>`)}</div>`,
  });
}

const TEXT_CHARACTERS_MAX = 10_000;
const INPUTS: Readonly<Record<string, string>> = { choice: "select", choices: "checkboxes" };

/** Converts a field of a workflow form to a field of a page. */
export function toPageField(field: FormField): PageField {
  const { name, label = name, type = "text", options = [], required = false } = field;
  return {
    name,
    label,
    input: toFormInput(INPUTS[type] ?? type),
    required,
    options: options.map((option) => ({ value: option, label: option })),
    value: field.value,
    help: field.help,
    placeholder: field.placeholder,
    maxLength: field.maxLength ?? TEXT_CHARACTERS_MAX,
  };
}
