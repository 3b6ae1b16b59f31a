/** Edits of form pages and fields, and their conversion to and from JSON Schema. */
import type { Definition } from "../../graph/graph.ts";

export type FormPage = NonNullable<Definition["trigger"]["pages"]>[number];
export type FormField = FormPage["fields"][number];
export type FieldType = NonNullable<FormField["type"]>;
export type Pages = readonly FormPage[];
/** Form fields edited by the designer, for triggers and steps. */
export type DesignedForm = Pick<
  Definition["trigger"],
  "title" | "description" | "pages" | "submit"
>;

export interface Place {
  readonly page: number;
  readonly field: number;
}

export const FIELD_WORDS: Readonly<Record<FieldType, string>> = {
  text: "Text",
  textarea: "Long text",
  email: "E-mail address",
  number: "Number",
  date: "Date",
  choice: "Single choice",
  choices: "Multiple choice",
  checkbox: "Yes or no",
  password: "Password",
  hidden: "Hidden value",
  file: "File",
};
export const FIELD_TYPES = Object.keys(FIELD_WORDS) as readonly FieldType[];
export const PAGES_MAX = 10;
export const FIELDS_MAX = 50;

export const typeOf = ({ type = "text" }: FormField): FieldType => type;
export const hasOptions = (field: FormField): boolean =>
  typeOf(field) === "choice" || typeOf(field) === "choices";

/** Derives a field name from a label: `Your name?` becomes `your_name`, with a number if that name is in use. */
export function nameFor(label: string, pages: Pages): string {
  const words = label
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  const base = (words ?? ["field"]).join("_").slice(0, 60);
  const taken = new Set(pages.flatMap(({ fields }) => fields.map(({ name }) => name)));
  for (let count = 2, name = base; ; count += 1) {
    if (!taken.has(name)) return name;
    name = `${base}_${count}`;
  }
}

export function addField(pages: Pages, page: number, type: FieldType): Pages {
  const label = FIELD_WORDS[type];
  const field: FormField = {
    name: nameFor(label, pages),
    label,
    ...(type !== "text" && { type }),
    ...((type === "choice" || type === "choices") && { options: ["One", "Two"] }),
  };
  return withFields(pages, page, (fields) => [...fields, field]);
}

export function changeField(pages: Pages, { page, field }: Place, next: FormField): Pages {
  return withFields(pages, page, (fields) => fields.map((one, n) => (n === field ? next : one)));
}

/** Removes a field, and its page if that becomes empty and is not the only one. */
export function removeField(pages: Pages, { page, field }: Place): Pages {
  const left = withFields(pages, page, (fields) => fields.filter((_, n) => n !== field));
  const kept = left.filter(({ fields }) => fields.length > 0);
  return kept.length > 0 ? kept : pages;
}

/** Moves a field, possibly to another page; pages without fields are removed. */
export function moveField(pages: Pages, from: Place, to: Place): Pages {
  const moved = pages[from.page]?.fields[from.field];
  if (!moved || !pages[to.page]) return pages;
  const without = withFields(pages, from.page, (fields) =>
    fields.filter((_, n) => n !== from.field),
  );
  const put = withFields(without, to.page, (fields) => fields.toSpliced(to.field, 0, moved));
  return put.filter(({ fields }) => fields.length > 0);
}

/** Returns the position one step up or down, also across pages; undefined at either end. */
export function stepFrom(pages: Pages, { page, field }: Place, by: 1 | -1): Place | undefined {
  const count = pages[page]?.fields.length ?? 0;
  const next = field + by;
  if (next >= 0 && next < count) return { page, field: next };
  const other = pages[page + by];
  if (!other) return undefined;
  return { page: page + by, field: by === 1 ? 0 : other.fields.length };
}

export function addPage(pages: Pages): Pages {
  if (pages.length >= PAGES_MAX) return pages;
  return addField([...pages, { fields: [] }], pages.length, "text");
}

export function renamePage(pages: Pages, page: number, title: string): Pages {
  return pages.map((one, n) => {
    if (n !== page) return one;
    const { title: _, ...rest } = one;
    return title === "" ? rest : { title, ...rest };
  });
}

function withFields(
  pages: Pages,
  page: number,
  change: (fields: readonly FormField[]) => readonly FormField[],
): Pages {
  return pages.map((one, n) => (n === page ? { ...one, fields: change(one.fields) } : one));
}

type Schema = Readonly<Record<string, unknown>>;

const SCHEMAS: Readonly<Record<FieldType, (field: FormField) => Schema>> = {
  text: () => ({ type: "string" }),
  textarea: () => ({ type: "string", contentMediaType: "text/plain" }),
  email: () => ({ type: "string", format: "email" }),
  number: () => ({ type: "number" }),
  date: () => ({ type: "string", format: "date" }),
  choice: ({ options = [] }) => ({ type: "string", enum: options }),
  choices: ({ options = [] }) => ({ type: "array", items: { type: "string", enum: options } }),
  checkbox: () => ({ type: "boolean" }),
  password: () => ({ type: "string", writeOnly: true }),
  hidden: () => ({ type: "string", readOnly: true }),
  file: () => ({ type: "object", contentEncoding: "binary" }),
};

/** Describes the answers of a form as a JSON Schema; an extension keyword keeps the pages. */
export function toSchema(pages: Pages): Schema {
  const fields = pages.flatMap((page, n) => page.fields.map((field) => ({ field, n })));
  return {
    type: "object",
    properties: Object.fromEntries(
      fields.map(({ field, n }) => [
        field.name,
        {
          ...SCHEMAS[typeOf(field)](field),
          title: field.label ?? field.name,
          ...(field.help !== undefined && { description: field.help }),
          ...(field.value !== undefined && { default: field.value }),
          ...(field.maxLength !== undefined && { maxLength: field.maxLength }),
          ...(pages.length > 1 && { "x-page": n + 1 }),
        },
      ]),
    ),
    required: fields.filter(({ field }) => field.required === true).map(({ field }) => field.name),
    ...(pages.some(({ title }) => title !== undefined) && {
      "x-pages": pages.map(({ title = "" }) => title),
    }),
  };
}

/** Returns pages that ask for the values of a JSON Schema, or why that is not possible. */
export function fromSchema(
  schema: unknown,
): { readonly pages: Pages } | { readonly error: string } {
  const { properties, required, "x-pages": titles } = Object(schema) as Record<string, unknown>;
  const entries = Object.entries(Object(properties) as Record<string, unknown>);
  if (entries.length === 0) return { error: "The schema has no properties." };
  const needed = new Set(Array.isArray(required) ? required : []);
  const pages = new Map<number, FormField[]>();
  for (const [name, value] of entries) {
    const part = Object(value) as Schema;
    const field = toField(name, part, needed.has(name));
    if (!field) return { error: `Forms do not support the type of ${name}.` };
    const page = Number(part["x-page"] ?? 1);
    pages.set(page, [...(pages.get(page) ?? []), field]);
  }
  const ordered = [...pages].toSorted(([a], [b]) => a - b);
  if (ordered.length > PAGES_MAX) return { error: `A form has at most ${PAGES_MAX} pages.` };
  return {
    pages: ordered.map(([number, fields]) => {
      const title: unknown = Array.isArray(titles) ? titles[number - 1] : undefined;
      return typeof title === "string" && title !== "" ? { title, fields } : { fields };
    }),
  };
}

function toField(name: string, schema: Schema, isRequired: boolean): FormField | undefined {
  const type = fieldTypeOf(schema);
  if (!type) return undefined;
  const { title, description, default: value, maxLength } = schema;
  const items = Object(schema["items"]) as Schema;
  const options = type === "choices" ? items["enum"] : schema["enum"];
  return {
    name,
    ...(typeof title === "string" && title !== name && { label: title }),
    ...(type !== "text" && { type }),
    ...(isRequired && { required: true }),
    ...(Array.isArray(options) && { options: options.map(String) }),
    ...(typeof description === "string" && { help: description }),
    ...(typeof value === "string" && { value }),
    ...(typeof maxLength === "number" && { maxLength }),
  };
}

function fieldTypeOf(schema: Schema): FieldType | undefined {
  const items = Object(schema["items"]) as Schema;
  switch (schema["type"]) {
    case "number":
    case "integer":
      return "number";
    case "boolean":
      return "checkbox";
    case "array":
      return Array.isArray(items["enum"]) ? "choices" : undefined;
    case "object":
      return schema["contentEncoding"] === "binary" ? "file" : undefined;
    case "string":
      if (Array.isArray(schema["enum"])) return "choice";
      if (schema["writeOnly"] === true) return "password";
      if (schema["readOnly"] === true) return "hidden";
      if (schema["contentMediaType"] === "text/plain") return "textarea";
      return schema["format"] === "email" ? "email" : schema["format"] === "date" ? "date" : "text";
    default:
      return undefined;
  }
}
