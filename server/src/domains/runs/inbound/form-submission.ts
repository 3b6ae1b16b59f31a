/** A form that is sent page by page, of a trigger or of a step. */
import type { Form, FormField } from "#domains/workflows/index.ts";
import type { HtmlDocument } from "#kernel/html/markup.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { formPage, PAGE_FIELD, sentPage, TRAP_FIELD } from "./form-page.ts";
import { checkFormPage, readFormValues, toFormInput } from "./form-values.ts";

/** The page to show after one that was sent. */
export interface ShownPage {
  readonly page: HtmlDocument;
  readonly status?: number;
}

type Answers = Readonly<Record<string, unknown>>;

/** Takes a page that was sent: the one to show next, or the answers of them all. */
export function takeFormPage(
  form: Form,
  sent: unknown,
  findErrors: (answers: Answers) => readonly FieldError[] = () => [],
): ShownPage | { readonly answers: Answers } {
  const body = (typeof sent === "object" && sent !== null ? sent : {}) as Record<string, unknown>;
  const last = form.pages.length - 1;
  const at = Math.min(Math.max(Math.trunc(Number(body[PAGE_FIELD] ?? last)) || 0, 0), last);
  const values = readFormValues(form, body);
  if (body["$back"] !== undefined) {
    return { page: formPage(form, Math.max(0, at - 1), { values, errors: new Map() }) };
  }
  // Earlier pages come back as they were sent: they are checked once more.
  for (let page = 0; page <= at; page += 1) {
    const errors = checkFormPage(form, page, { values, body });
    if (errors.size > 0) return { page: formPage(form, page, { values, errors }), status: 422 };
  }
  if (at < last) return { page: formPage(form, at + 1, { values, errors: new Map() }) };
  // Programs that fill in everything are thanked, and nothing more.
  if (typeof body[TRAP_FIELD] === "string" && body[TRAP_FIELD] !== "") {
    return { page: sentPage(form, undefined) };
  }
  const answers = toFormInput(form, values, body);
  const refused = findRefusal(form, findErrors(answers));
  if (!refused) return { answers };
  return { page: formPage(form, refused.page, { values, ...refused }), status: 422 };
}

/** The answers that are refused, on the first page that asks for one of them. */
function findRefusal(
  { pages }: Form,
  found: readonly FieldError[],
): { readonly page: number; readonly errors: Map<string, string> } | undefined {
  const errors = new Map(found.map(({ path, message }) => [path.split("/")[1], message]));
  const isRefused = ({ name }: FormField): boolean => errors.has(name);
  const page = pages.findIndex(({ fields }) => fields.some(isRefused));
  if (page < 0) return undefined;
  const refused = (pages[page]?.fields ?? []).filter(isRefused);
  return { page, errors: new Map(refused.map(({ name }) => [name, errors.get(name) ?? ""])) };
}
