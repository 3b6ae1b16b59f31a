/**
 * A JSON Schema as an HTML form without scripts: its fields in order, each named by its JSON pointer. Fields cannot
 * be hidden here, so a conditional field is optional, and its value counts only if its condition holds.
 */
import { findConditionalFields } from "#domains/itsm/catalog/index.ts";
import type { FormField, FormInput, FormOption } from "#kernel/html/form/form-field.ts";

export interface Schema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly const?: unknown;
  readonly format?: string;
  readonly default?: unknown;
  readonly maxLength?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema | boolean>>;
  readonly items?: Schema;
  readonly "x-multiline"?: boolean;
  readonly "x-file"?: boolean;
  readonly "x-order"?: readonly string[];
  readonly "x-section"?: string;
}

const DEPTH_MAX = 4;
const FIELDS_MAX = 200;
/** The number of rows for a list of objects; without scripts, rows cannot be added. */
const ROWS = 3;
const TEXT_AREA_CHARACTERS = 500;

/** The fields of an object schema in order. */
export function listPlainFields(schema: Schema): readonly FormField[] {
  return walk(schema, { pointer: "", depth: 0, group: undefined, isOptional: false }).slice(
    0,
    FIELDS_MAX,
  );
}

interface Place {
  readonly pointer: string;
  readonly depth: number;
  readonly group: string | undefined;
  /** Within an optional object, no field is required. */
  readonly isOptional: boolean;
}

function walk(schema: Schema, place: Place): readonly FormField[] {
  if (place.depth > DEPTH_MAX) return [];
  const names = Object.keys(schema.properties ?? {});
  const conditional = findConditionalFields(schema);
  const order = (schema["x-order"] ?? []).filter((name) => names.includes(name));
  return [...new Set([...order, ...names])].flatMap((name) => {
    const own = schema.properties?.[name];
    if (typeof own !== "object") return [];
    const isRequired = schema.required?.includes(name) === true && !conditional.has(name);
    return toFields(
      name,
      own,
      { ...place, pointer: `${place.pointer}/${escape(name)}` },
      isRequired,
    );
  });
}

const escape = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

function toFields(
  name: string,
  schema: Schema,
  place: Place,
  isRequired: boolean,
): readonly FormField[] {
  const label = schema.title ?? toLabel(name);
  const { items, properties } = schema;
  const within = { ...place, depth: place.depth + 1, group: label };
  if (properties) return walk(schema, { ...within, isOptional: place.isOptional || !isRequired });
  if (items?.properties) {
    return Array.from({ length: ROWS }, (_, n) =>
      walk(items, {
        ...within,
        pointer: `${place.pointer}/${n}`,
        group: `${label} ${n + 1}`,
        isOptional: true,
      }),
    ).flat();
  }
  const input = chooseInput(schema);
  return [
    {
      name: place.pointer,
      label,
      input,
      options: listOptions(input === "checkboxes" ? (items ?? {}) : schema),
      required: isRequired && !place.isOptional,
      help: describe(schema, input),
      value: schema.default,
      group: schema["x-section"] ?? place.group,
      maxLength: schema.maxLength,
      ...(input === "file" && { multiple: true, keepsFiles: true }),
    },
  ];
}

const describe = ({ description }: Schema, input: FormInput): string | undefined =>
  input === "lines" ? [description, "One in each line."].filter(Boolean).join(" ") : description;

const toLabel = (name: string): string => {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]+/g, " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const BY_FORMAT: Readonly<Record<string, FormInput>> = {
  date: "date",
  time: "time",
  email: "email",
  uri: "url",
};
const BY_TYPE: Readonly<Record<string, FormInput>> = {
  boolean: "checkbox",
  number: "number",
  integer: "number",
};

function chooseInput(schema: Schema): FormInput {
  const { type, items, format = "" } = schema;
  if (listOptions(schema).length > 0) return "radio";
  if (schema["x-file"] || items?.["x-file"]) return "file";
  if (type === "array") return items && listOptions(items).length > 0 ? "checkboxes" : "lines";
  const known = BY_TYPE[String(type)];
  if (known) return known;
  const isLong = schema["x-multiline"] || (schema.maxLength ?? 0) > TEXT_AREA_CHARACTERS;
  return isLong ? "textarea" : (BY_FORMAT[format] ?? "text");
}

function listOptions({ enum: values, oneOf }: Schema): readonly FormOption[] {
  if (values) return values.filter(isPlain).map((value) => ({ value, label: String(value) }));
  return (oneOf ?? []).flatMap(({ const: value, title, description }) =>
    isPlain(value)
      ? [{ value, label: [title ?? String(value), description].filter(Boolean).join(": ") }]
      : [],
  );
}

/** A value that a form can send as a text. */
const isPlain = (value: unknown): value is FormOption["value"] =>
  value === null || ["string", "number", "boolean"].includes(typeof value);

/** Builds the value of the schema from the field values; empty fields are omitted. */
export function toSchemaValue(
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const root = Object.create(null) as Tree;
  for (const [pointer, value] of Object.entries(values)) {
    const isEmpty =
      value === null || value === false || (Array.isArray(value) && value.length === 0);
    if (!isEmpty) place(root, pointer.slice(1).split("/").map(unescape), value);
  }
  return compact(root) as Record<string, unknown>;
}

const unescape = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");

type Tree = Record<string, unknown>;

/** Sets a value at its path; numbers are list indexes. */
function place(root: Tree, path: readonly string[], value: unknown): void {
  let at = root;
  for (const part of path.slice(0, -1)) {
    if (!Object.hasOwn(at, part)) at[part] = Object.create(null) as Tree;
    at = at[part] as Tree;
  }
  at[path.at(-1) ?? ""] = value;
}

/** Converts objects with numeric keys to lists without gaps. */
function compact(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value);
  const isList = entries.length > 0 && entries.every(([name]) => /^\d$/.test(name));
  if (isList) return entries.map(([, member]) => compact(member));
  return Object.fromEntries(entries.map(([name, member]) => [name, compact(member)]));
}
