/** Interprets JSON Schema for forms, without rendering: references, conditions, field types and options. */
import { toSentence } from "../ui/words.ts";
import { type Fields, isFields } from "./pointer.ts";

export interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly properties?: Readonly<Record<string, Schema | boolean>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly writeOnly?: boolean;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly not?: Schema;
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly "x-multiline"?: boolean;
  readonly "x-placeholder"?: string;
  readonly "x-unit"?: string;
  /** The id of a stored file. */
  readonly "x-file"?: boolean;
  /** Accepted media types, such as `image/*`. */
  readonly "x-accept"?: readonly string[];
  readonly "x-secret"?: boolean;
  /** A heading above this field and those after it. */
  readonly "x-section"?: string;
  readonly "x-order"?: readonly string[];
  /** The type of resource that the text refers to, for pickers. */
  readonly "x-reference"?: string;
  /** Resource types referenced by the object's values. */
  readonly "x-references"?: Readonly<Record<string, string>>;
  /** The field is only relevant if another field has one of these values. */
  readonly "x-when"?: Readonly<Record<string, readonly unknown[]>>;
  readonly "x-language"?: string;
  /** The whole text is an expression. */
  readonly "x-expression"?: boolean;
  /** The text is literal: `{{ }}` is not evaluated. */
  readonly "x-literal"?: boolean;
  /** List items are collapsed into one line until the user expands them. */
  readonly "x-folded"?: boolean;
  /** The value may be or contain `{{ }}`. */
  readonly "x-template"?: boolean;
}

export type FieldKind =
  | "text"
  | "area"
  | "number"
  | "yes"
  | "choice"
  | "variant"
  | "many"
  | "list"
  | "object"
  | "map"
  | "file"
  | "fixed"
  | "json";

const REFERENCES_MAX = 20;
const AREA_CHARACTERS_MIN = 400;
/** A higher limit says nothing about the usual length. */
const AREA_CHARACTERS_MAX = 5_000;

export const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (isFields(value) && Object.values(value).every(isEmpty));

export const typeOf = ({ type }: Schema): string | undefined =>
  typeof type === "string" ? type : type?.find((name) => name !== "null");

/** Resolves `$ref`; title and description next to it take precedence. */
export function followRef(schema: Schema, root: Schema): Schema {
  let at = schema;
  for (let n = 0; n < REFERENCES_MAX; n += 1) {
    const { $ref, ...rest } = at;
    const found = $ref === undefined ? undefined : root.$defs?.[$ref.replace("#/$defs/", "")];
    if (!found) return at;
    at = { ...found, ...rest };
  }
  return at;
}

/**
 * Resolves the schema for this value: follows references, evaluates conditions, and reduces `anyOf` with a template
 * to its plain variant. Fields that `then` or `else` set to `false` are hidden.
 */
export function settleSchema(schema: Schema, value: unknown, root: Schema): Schema {
  let shown = value;
  let settled = settleOnce(schema, shown, root);
  // A hidden field has no value, so hiding it can change other conditions.
  for (let n = 0; n < CHAINED_CONDITIONS_MAX && isFields(shown); n += 1) {
    const all = Object.entries(shown);
    const left = all.filter(([name]) => settled.properties?.[name] !== false);
    if (left.length === all.length) break;
    shown = Object.fromEntries(left);
    settled = settleOnce(schema, shown, root);
  }
  return settled;
}

const CHAINED_CONDITIONS_MAX = 10;

function settleOnce(schema: Schema, value: unknown, root: Schema): Schema {
  const {
    allOf,
    if: condition,
    then,
    else: otherwise,
    dependentRequired,
    ...own
  } = plainOf(followRef(schema, root));
  let settled: Schema = own;
  for (const part of allOf ?? []) settled = mergeSchemas(settled, settleOnce(part, value, root));
  if (condition) {
    const branch = matchesSchema(condition, value, root) ? then : otherwise;
    if (branch) settled = mergeSchemas(settled, settleOnce(branch, value, root));
  }
  for (const [name, required] of Object.entries(dependentRequired ?? {})) {
    if (isFields(value) && !isEmpty(value[name])) settled = mergeSchemas(settled, { required });
  }
  return settled;
}

const isTemplate = ({ title, type }: Schema): boolean => title === "Template" && type === "string";

/** Reduces `anyOf` with a template to the other variant, marked as template; returns a single variant unchanged. */
function plainOf(schema: Schema): Schema {
  const { anyOf, ...rest } = schema;
  if (!anyOf || schema.type !== undefined) return schema;
  const plain = anyOf.filter((variant) => !isTemplate(variant));
  const [only] = plain;
  if (plain.length !== 1 || !only) return schema;
  return { ...only, ...rest, ...(plain.length < anyOf.length && { "x-template": true }) };
}

function mergeSchemas(a: Schema, b: Schema): Schema {
  const properties: Record<string, Schema | boolean> = { ...a.properties };
  for (const [name, next] of Object.entries(b.properties ?? {})) {
    properties[name] = mergeFields(properties[name], next);
  }
  const required = new Set([...(a.required ?? []), ...(b.required ?? [])]);
  return {
    ...a,
    ...b,
    ...((a.properties ?? b.properties) && { properties }),
    ...(required.size > 0 && { required: [...required] }),
  };
}

function mergeFields(old: Schema | boolean | undefined, next: Schema | boolean): Schema | boolean {
  if (old === false || next === false) return false;
  if (typeof old === "object" && typeof next === "object") return mergeSchemas(old, next);
  return next === true ? (old ?? true) : next;
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Validates enough to evaluate conditions. The server does the full validation. */
export function matchesSchema(schema: Schema | boolean, value: unknown, root: Schema): boolean {
  if (typeof schema === "boolean") return schema;
  const { not, allOf, anyOf, oneOf, ...own } = followRef(schema, root);
  const matches = (other: Schema): boolean => matchesSchema(other, value, root);
  return (
    matchesType(own, value) &&
    matchesBounds(own, value) &&
    (!isFields(value) || matchesFields(own, value, root)) &&
    !(not && matches(not)) &&
    (allOf?.every(matches) ?? true) &&
    (anyOf?.some(matches) ?? true) &&
    (oneOf?.some(matches) ?? true)
  );
}

function matchesType({ type, const: only, enum: options }: Schema, value: unknown): boolean {
  const names = type === undefined ? [] : [type].flat();
  return (
    (names.length === 0 || names.some((name) => isOfType(value, name))) &&
    (only === undefined || isSame(only, value)) &&
    (options?.some((option) => isSame(option, value)) ?? true)
  );
}

function isOfType(value: unknown, name: string): boolean {
  if (name === "integer") return Number.isInteger(value);
  if (name === "array") return Array.isArray(value);
  if (name === "null") return value === null;
  return name === "object" ? isFields(value) : typeof value === name;
}

function matchesBounds(schema: Schema, value: unknown): boolean {
  const { minimum = -Infinity, maximum = Infinity, minLength = 0, maxLength = Infinity } = schema;
  if (typeof value === "number") return value >= minimum && value <= maximum;
  if (typeof value === "string") return value.length >= minLength && value.length <= maxLength;
  return true;
}

function matchesFields({ required, properties }: Schema, value: Fields, root: Schema): boolean {
  return (
    !required?.some((name) => isEmpty(value[name])) &&
    Object.entries(properties ?? {}).every(
      ([name, field]) => isEmpty(value[name]) || matchesSchema(field, value[name], root),
    )
  );
}

/** Returns whether a field is relevant, given its sibling fields. A field with a value is always shown. */
export function isWanted(field: Schema, name: string, beside: unknown): boolean {
  const fields = isFields(beside) ? beside : {};
  if (!isEmpty(fields[name])) return true;
  return Object.entries(field["x-when"] ?? {}).every(([other, values]) => {
    const value = fields[other];
    return values.includes(value) || (typeof value === "string" && value.includes("{{"));
  });
}

/** Returns the schemas that a value may have, except null. */
export const variantsOf = (schema: Schema): readonly Schema[] =>
  (schema.oneOf ?? schema.anyOf ?? []).filter(({ type }) => type !== "null");

export interface Option {
  readonly value: unknown;
  readonly label: string;
  readonly about?: string | undefined;
}

/** Returns fixed values to choose from, in any of the schema notations. */
export function optionsOf(schema: Schema): readonly Option[] | undefined {
  if (schema.enum) {
    return schema.enum
      .filter((value) => value !== null)
      .map((value) => ({ value, label: labelOption(value) }));
  }
  const variants = variantsOf(schema);
  if (variants.length === 0 || variants.some((variant) => variant.const === undefined)) {
    return undefined;
  }
  return variants.map(({ const: value, title, description }) => ({
    value,
    label: title ?? labelOption(value),
    about: description,
  }));
}

const spellOption = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);

/** Formats an option label. Names with digits are technical terms such as `sha256`, so they are not changed. */
const labelOption = (value: unknown): string => {
  const text = spellOption(value);
  return /\d/.test(text) ? text : labelOf(text);
};

/**
 * Labels `maxAttempts` and `max_attempts` as `Max attempts`, `quietMs` as `Quiet`; `GET` and `Europe/Berlin` are
 * not changed.
 */
export function labelOf(name: string): string {
  if (!/^[a-z][A-Za-z0-9_]*$/.test(name)) return name;
  const words = name
    // The unit is shown next to the number. `maxMs` is "max time", because `max` alone means a count.
    .replace(/^maxMs$/, "maxTime")
    .replace(/(?<=[a-z])Ms$/, "")
    .replaceAll("_", " ")
    .replaceAll(
      /([a-z0-9])([A-Z])/g,
      (_, before: string, after: string) => `${before} ${after.toLowerCase()}`,
    );
  return toSentence(words);
}

export function kindOf(schema: Schema): FieldKind {
  if (schema.const !== undefined) return "fixed";
  if (schema["x-file"]) return "file";
  if (optionsOf(schema)) return "choice";
  const variants = variantsOf(schema);
  const type = typeOf(schema);
  if (variants.length > 1 && (type === undefined || type === "object")) {
    const isPlain = variants.every((one) => /^(string|number|integer)$/.test(typeOf(one) ?? ""));
    return isPlain ? "text" : "variant";
  }
  if (type === "boolean") return "yes";
  if (type === "number" || type === "integer") return "number";
  if (type === "string") return isArea(schema) ? "area" : "text";
  if (type === "array") return kindOfList(schema);
  if (schema.properties) return "object";
  const isMap = isFields(schema.additionalProperties) || schema.patternProperties !== undefined;
  return type === "object" && isMap ? "map" : "json";
}

function kindOfList({ items }: Schema): FieldKind {
  if (!items || Object.keys(items).length === 0) return "json";
  if (items["x-file"]) return "file";
  return optionsOf(items) ? "many" : "list";
}

function isArea({ "x-multiline": multiline, maxLength = 0 }: Schema): boolean {
  return multiline ?? (maxLength > AREA_CHARACTERS_MIN && maxLength <= AREA_CHARACTERS_MAX);
}
