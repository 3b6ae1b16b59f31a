/**
 * Converts between JSON Schema and the model of the form builder. Unsupported parts are kept: keywords of a field
 * in its `rest`, keywords of the form in the model's `rest`, other field types as JSON.
 */
import type { Schema } from "../../form/index.ts";

export const FIELD_TYPES = [
  "text",
  "area",
  "number",
  "choice",
  "many",
  "yes",
  "date",
  "person",
  "file",
  "item",
  "section",
] as const;
export type FieldType = (typeof FIELD_TYPES)[number] | "json";

/** Shows or requires the field only if another field has a certain value. */
export interface FieldCondition {
  readonly field: string;
  readonly is: unknown;
  readonly effect: "show" | "require";
}

export interface FormField {
  /** The name in the values; for sections, an internal name. */
  readonly name: string;
  readonly type: FieldType;
  readonly title: string;
  readonly help: string;
  readonly isRequired: boolean;
  readonly options: readonly string[];
  readonly initial: unknown;
  readonly when: FieldCondition | undefined;
  /** Unsupported keywords; for JSON fields, all keywords. */
  readonly rest: Schema;
}

export interface FormModel {
  readonly fields: readonly FormField[];
  readonly rest: Schema;
}

type Keywords = Readonly<Record<string, unknown>>;

const SHAPES: Readonly<Record<Exclude<FieldType, "section" | "json">, Keywords>> = {
  text: { type: "string", maxLength: 200 },
  area: { type: "string", maxLength: 5_000, "x-multiline": true },
  number: { type: "number" },
  choice: { type: "string" },
  many: { type: "array", uniqueItems: true },
  yes: { type: "boolean" },
  date: { type: "string", format: "date" },
  person: { type: "string", maxLength: 200, "x-reference": "person" },
  file: { type: "array", maxItems: 10, items: { type: "string", "x-file": true } },
  item: { type: "string", maxLength: 200, "x-reference": "cmdb_item" },
};

/** Creates a field with a unique name. */
export function createField(type: FieldType, names: readonly string[]): FormField {
  const title = TITLES[type];
  return {
    name: freeName(title, names),
    type,
    title,
    help: "",
    isRequired: false,
    options: type === "choice" || type === "many" ? ["Option 1", "Option 2"] : [],
    initial: undefined,
    when: undefined,
    rest: type === "section" || type === "json" ? {} : (SHAPES[type] as Schema),
  };
}

export const TITLES: Readonly<Record<FieldType, string>> = {
  text: "Text",
  area: "Long text",
  number: "Number",
  choice: "Single select",
  many: "Multiple select",
  yes: "Yes/No",
  date: "Date",
  person: "Person",
  file: "Files",
  item: "Configuration item",
  section: "Section",
  json: "Other",
};

/** Derives a name: `How many?` becomes `how_many`, with a number if that is in use. */
export function freeName(title: string, names: readonly string[]): string {
  const words = title
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/[^a-z0-9]+/g, "_");
  const stem = words.replaceAll(/^[_0-9]+|_+$/g, "").slice(0, 40) || "field";
  if (!names.includes(stem)) return stem;
  for (let n = 2; ; n += 1) if (!names.includes(`${stem}_${n}`)) return `${stem}_${n}`;
}

export function readForm(schema: Schema): FormModel {
  const { properties = {}, required = [], allOf = [], ...root } = schema;
  const conditions = allOf.map((part) => readCondition(part));
  const kept = allOf.filter((_, n) => conditions[n] === undefined);
  const fields = Object.entries(properties).flatMap(([name, own]): readonly FormField[] => {
    const field: Schema = typeof own === "object" ? own : {};
    const { "x-section": section, ...rest } = field;
    const condition = conditions.find((one) => one?.name === name);
    const isRequired = required.includes(name) || condition?.isRequired === true;
    const drawn =
      typeof own === "object"
        ? readField(name, rest)
        : { ...createField("json", []), name, title: name, rest: own as unknown as Schema };
    const head =
      section === undefined
        ? []
        : [{ ...createField("section", []), name: `§${name}`, title: section }];
    return [...head, { ...drawn, isRequired, when: condition?.when }];
  });
  const known = new Set(fields.map(({ name }) => name));
  const others = required.filter((name) => !known.has(name));
  return {
    fields,
    rest: {
      ...root,
      ...(kept.length > 0 && { allOf: kept }),
      ...(others.length > 0 && { required: others }),
    },
  };
}

function readField(name: string, schema: Schema): FormField {
  const { title, description, default: initial, ...shape } = schema;
  const type = typeOfShape(shape);
  const base = {
    name,
    type,
    title: title ?? "",
    help: description ?? "",
    initial,
    isRequired: false,
    when: undefined,
  };
  if (type === "choice") {
    const { enum: options = [], ...rest } = shape;
    return { ...base, options: options.map(String), rest };
  }
  if (type === "many") {
    const { items, ...rest } = shape;
    return { ...base, options: (items?.enum ?? []).map(String), rest };
  }
  return { ...base, options: [], rest: shape };
}

function typeOfShape(shape: Schema): FieldType {
  const { type, format, items } = shape;
  const isPlain = shape.oneOf ?? shape.anyOf ?? shape.if ?? shape.$ref ?? shape.const;
  if (isPlain !== undefined) return "json";
  if (type === "boolean") return "yes";
  if (type === "number" || type === "integer") return "number";
  if (type === "array") {
    if (items?.["x-file"]) return "file";
    const isTexts = items?.enum?.every((one) => typeof one === "string") === true;
    return isTexts && items && hasOnly(items, ["type", "enum"]) ? "many" : "json";
  }
  if (type !== "string") return "json";
  if (shape["x-file"]) return "file";
  if (shape["x-reference"] === "person") return "person";
  if (shape["x-reference"] === "cmdb_item") return "item";
  if (shape.enum) return shape.enum.every((one) => typeof one === "string") ? "choice" : "json";
  if (format === "date") return "date";
  return shape["x-multiline"] ? "area" : "text";
}

const hasOnly = (schema: Schema, names: readonly string[]): boolean =>
  Object.keys(schema).every((name) => names.includes(name));

export function writeForm({ fields, rest }: FormModel): Schema {
  const properties: [string, Schema | boolean][] = [];
  let section: string | undefined;
  for (const field of fields) {
    if (field.type === "section") {
      section = field.title;
      continue;
    }
    const schema = writeField(field);
    const isHead = section !== undefined && typeof schema === "object";
    properties.push([
      field.name,
      isHead ? ({ ...schema, "x-section": section } as Schema) : schema,
    ]);
    section = undefined;
  }
  const required = [
    ...(rest.required ?? []),
    ...fields
      .filter(
        // A field shown by a condition is required by that condition, because it can't be filled in while hidden.
        ({ type, isRequired, when }) => type !== "section" && isRequired && when?.effect !== "show",
      )
      .map(({ name }) => name),
  ];
  const { allOf = [], required: _, ...root } = rest;
  const conditions = [...allOf, ...fields.flatMap((field) => writeCondition(field))];
  return {
    ...root,
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    ...(conditions.length > 0 && { allOf: conditions }),
  };
}

function writeField({ type, title, help, initial, options, rest }: FormField): Schema | boolean {
  if (typeof rest === "boolean") return rest;
  return {
    ...(title !== "" && { title }),
    ...(help !== "" && { description: help }),
    ...rest,
    ...(type === "choice" && { enum: options }),
    ...(type === "many" && { items: { type: "string", enum: options } }),
    ...(initial !== undefined && initial !== "" && { default: initial }),
  };
}

/** Writes `if` another field has a value, `then` this field is required, or `else` it is hidden, or both. */
function writeCondition({ name, isRequired, when }: FormField): readonly Schema[] {
  if (!when) return [];
  const test: Schema = {
    properties: { [when.field]: { const: when.is } },
    required: [when.field],
  };
  if (when.effect === "show") {
    const shown: Schema = { if: test, else: { properties: { [name]: false } } };
    // oxlint-disable-next-line unicorn/no-thenable -- the word of JSON Schema
    return [isRequired ? { ...shown, then: { required: [name] } } : shown];
  }
  // oxlint-disable-next-line unicorn/no-thenable -- the word of JSON Schema
  return [{ if: test, then: { required: [name] } }];
}

interface ReadCondition {
  readonly name: string;
  readonly when: FieldCondition;
  /** True if the field is required while it is shown. */
  readonly isRequired?: boolean;
}

function readCondition(part: Schema): ReadCondition | undefined {
  const { if: test, then, else: otherwise, ...more } = part;
  if (!test || Object.keys(more).length > 0 || !hasOnly(test, ["properties", "required"]))
    return undefined;
  const [[field, asked] = [], ...others] = Object.entries(test.properties ?? {});
  const isOne = field !== undefined && others.length === 0 && test.required?.join() === field;
  if (!isOne || typeof asked !== "object" || !hasOnly(asked, ["const"])) return undefined;
  if ((then && !hasOnly(then, ["required"])) || (otherwise && !hasOnly(otherwise, ["properties"])))
    return undefined;
  const [needed, ...moreNeeded] = then?.required ?? [];
  const [[hidden, is] = [], ...moreHidden] = Object.entries(otherwise?.properties ?? {});
  if (moreNeeded.length > 0 || moreHidden.length > 0) return undefined;
  const value = asked.const;
  if (hidden === undefined) {
    return needed === undefined
      ? undefined
      : { name: needed, when: { field, is: value, effect: "require" } };
  }
  if (is !== false || (needed !== undefined && needed !== hidden)) return undefined;
  const when = { field, is: value, effect: "show" } as const;
  return { name: hidden, when, isRequired: needed !== undefined };
}

/**
 * Renames a field, also in conditions of other fields. Workflows and reports read answers by name, so only unsaved
 * fields follow their title.
 */
export function renameField(
  fields: readonly FormField[],
  from: string,
  to: string,
): readonly FormField[] {
  return fields.map((field) => ({
    ...field,
    name: field.name === from ? to : field.name,
    when: field.when?.field === from ? { ...field.when, field: to } : field.when,
  }));
}

/** Validates a name: letters, digits and underscores, and unique. */
export function checkName(name: string, others: readonly string[]): string | undefined {
  if (!/^[a-zA-Z][a-zA-Z0-9_]{0,62}$/.test(name)) {
    return "Use letters, digits and underscores. Start with a letter. Example: device_type";
  }
  return others.includes(name) ? "Another field already uses this name." : undefined;
}

/** Moves a field within the list. */
export function moveField(
  fields: readonly FormField[],
  from: number,
  to: number,
): readonly FormField[] {
  const moved = fields[from];
  if (!moved || to < 0 || to >= fields.length) return fields;
  return fields.toSpliced(from, 1).toSpliced(to, 0, moved);
}
