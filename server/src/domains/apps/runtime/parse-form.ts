/** Parses the values that a browser sends for a form of an app, by field type. */
import { type ParsedForm, parseForm as parseFields } from "#kernel/html/form/form-values.ts";
import { toPostedForm } from "#kernel/html/form/posted-form.ts";
import type { Field, Region } from "./browser/page-state.ts";

const FILE = /^file_[0-9a-z]{26}$/;
const FILES_MAX = 20;

/** Parses only the shown fields. A time without a zone is in the region's time zone. */
export function parseForm(
  fields: readonly Field[],
  input: Readonly<Record<string, unknown>>,
  { timeZone }: Pick<Region, "timeZone">,
): ParsedForm {
  const asked = fields.filter((field) => isAsked(field, input));
  const files = asked.filter((field) => field.input === "file");
  const ids = files.flatMap(({ name }) => {
    const sent = Object.hasOwn(input, name) ? input[name] : undefined;
    // The script sends the ids of all files of a field in one text.
    return typeof sent === "string" ? [[name, sent.split(",").slice(0, FILES_MAX + 1)]] : [];
  });
  const posted = toPostedForm({ ...input, ...Object.fromEntries(ids) });
  const isFile = (sent: string | object): boolean => typeof sent === "string" && FILE.test(sent);
  const parsed = parseFields(asked, posted, { timeZone, isFile });
  const errors = new Map(parsed.errors);
  for (const { name } of files) {
    if ((posted.get(name)?.length ?? 0) > FILES_MAX)
      errors.set(name, `You can send at most ${FILES_MAX} files.`);
  }
  return { ...parsed, errors };
}

/** Returns whether a field is shown, given the values of the others. */
function isAsked({ when }: Field, input: Readonly<Record<string, unknown>>): boolean {
  if (!when) return true;
  const value = Object.hasOwn(input, when.field) ? input[when.field] : undefined;
  return when.is.some((one) => one === value || String(one) === String(value as string));
}
