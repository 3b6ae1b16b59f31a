/** Processes form pages of a trigger or a step. */
import { isFileReference } from "#domains/files/index.ts";
import type { Form } from "#domains/workflows/index.ts";
import { type PostedForm, readTexts } from "#kernel/html/form/form-field.ts";
import { type ParsedForm, parseForm } from "#kernel/html/form/form-values.ts";
import { isTrapped } from "#kernel/html/form/form-view.ts";
import { toPostedForm } from "#kernel/html/form/posted-form.ts";
import type { HtmlDocument } from "#kernel/html/markup.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { BACK_FIELD, formPage, PAGE_FIELD, sentPage, toPageField } from "./form-page.ts";

/** The page to show after one that was sent. */
export interface ShownPage {
  readonly page: HtmlDocument;
  readonly status?: number;
}

type Answers = Readonly<Record<string, unknown>>;

/** Processes a submitted page. Returns the next page, or the answers of all pages. */
export function takeFormPage(
  form: Form,
  sent: unknown,
  findErrors: (answers: Answers) => readonly FieldError[] = () => [],
): ShownPage | { readonly answers: Answers } {
  const posted = toPostedForm(sent);
  const last = form.pages.length - 1;
  const [page = last] = readTexts(posted, PAGE_FIELD);
  const at = Math.min(Math.max(Math.trunc(Number(page)) || 0, 0), last);
  if (posted.has(BACK_FIELD)) return { page: formPage(form, Math.max(0, at - 1), { posted }) };
  const answers: [string, unknown][] = [];
  // Answers of earlier pages are submitted again, so they are validated again.
  for (let earlier = 0; earlier <= at; earlier += 1) {
    const { values, errors } = parsePage(form, earlier, posted);
    if (errors.size > 0) return { page: formPage(form, earlier, { posted, errors }), status: 422 };
    answers.push(...Object.entries(values));
  }
  if (at < last) return { page: formPage(form, at + 1, { posted }) };
  // A filled trap field indicates a bot. It gets the thank-you page, and no run starts.
  if (isTrapped(posted)) return { page: sentPage(form, undefined) };
  const all = Object.fromEntries(answers);
  const refused = findRefusal(form, findErrors(all));
  if (!refused) return { answers: all };
  return { page: formPage(form, refused.page, { posted, errors: refused.errors }), status: 422 };
}

function parsePage({ pages }: Form, at: number, posted: PostedForm): ParsedForm {
  const fields = (pages[at]?.fields ?? []).map(toPageField);
  // A file handle sent as text is not accepted as a file.
  const { values, errors } = parseForm(fields, posted, { isFile: isFileReference });
  const files = fields.filter(({ input }) => input === "file").map(({ name }) => name);
  const single = Object.entries(values).map(([name, value]): [string, unknown] => [
    name,
    files.includes(name) && Array.isArray(value) ? value[0] : value,
  ]);
  return { values: Object.fromEntries(single), errors };
}

/** Rejected answers, shown on the first page with one of their fields. */
function findRefusal(
  { pages }: Form,
  found: readonly FieldError[],
): { readonly page: number; readonly errors: Map<string, string> } | undefined {
  const messages = new Map(found.map(({ path, message }) => [path.split("/")[1] ?? "", message]));
  const page = pages.findIndex(({ fields }) => fields.some(({ name }) => messages.has(name)));
  const asked = new Set((pages[page]?.fields ?? []).map(({ name }) => name));
  const errors = new Map([...messages].filter(([name]) => asked.has(name)));
  return page < 0 ? undefined : { page, errors };
}
