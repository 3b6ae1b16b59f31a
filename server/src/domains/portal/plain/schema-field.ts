/**
 * The fields of a JSON Schema as a form of plain HTML has them: one after the other, each named by its pointer. Nothing
 * can hide a field here, so one with a condition is shown as optional, and its answer counts only where the condition
 * shows it.
 */
import { findConditionalFields } from "#domains/itsm/catalog/index.ts";

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

export interface PlainOption {
  readonly value: unknown;
  readonly label: string;
}

export interface PlainField {
  /** Its JSON pointer, which is also its name in the form. */
  readonly pointer: string;
  readonly label: string;
  readonly help: string | undefined;
  readonly kind: "line" | "area" | "number" | "check" | "choice" | "several" | "lines" | "file";
  /** Of a line: what the browser offers to write it. */
  readonly inputType: string;
  readonly options: readonly PlainOption[];
  readonly isRequired: boolean;
  readonly maxLength: number | undefined;
  readonly initial: unknown;
  /** The heading of the object that it belongs to. */
  readonly group: string | undefined;
}

const DEPTH_MAX = 4;
const FIELDS_MAX = 200;
/** A list of objects has so many places; without a script no more can be added. */
const ROWS = 3;
const TEXT_AREA_CHARACTERS = 500;

/** The fields of an object's schema, in their order. */
export function listPlainFields(schema: Schema): readonly PlainField[] {
  return walk(schema, { pointer: "", depth: 0, group: undefined, isOptional: false }).slice(
    0,
    FIELDS_MAX,
  );
}

interface Place {
  readonly pointer: string;
  readonly depth: number;
  readonly group: string | undefined;
  /** Inside of something that may be left out: nothing there must be filled in. */
  readonly isOptional: boolean;
}

function walk(schema: Schema, place: Place): readonly PlainField[] {
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
): readonly PlainField[] {
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
  const field = toField(schema);
  return [
    {
      ...field,
      pointer: place.pointer,
      label,
      help: schema.description,
      isRequired: isRequired && !place.isOptional,
      maxLength: schema.maxLength,
      initial: schema.default,
      group: schema["x-section"] ?? place.group,
    },
  ];
}

const toLabel = (name: string): string => {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]+/g, " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const INPUT_TYPES: Readonly<Record<string, string>> = {
  date: "date",
  time: "time",
  email: "email",
  uri: "url",
};

type Drawn = Pick<PlainField, "kind" | "inputType" | "options">;

function toField(schema: Schema): Drawn {
  const { type, items } = schema;
  const plain = { inputType: "text", options: [] };
  const options = listOptions(schema);
  if (options.length > 0) return { ...plain, kind: "choice", options };
  if (schema["x-file"] || items?.["x-file"]) return { ...plain, kind: "file" };
  if (type === "boolean") return { ...plain, kind: "check" };
  if (type === "number" || type === "integer") return { ...plain, kind: "number" };
  if (type === "array") {
    const choices = items ? listOptions(items) : [];
    return choices.length > 0
      ? { ...plain, kind: "several", options: choices }
      : { ...plain, kind: "lines" };
  }
  const isLong = schema["x-multiline"] || (schema.maxLength ?? 0) > TEXT_AREA_CHARACTERS;
  if (isLong) return { ...plain, kind: "area" };
  return { ...plain, kind: "line", inputType: INPUT_TYPES[schema.format ?? ""] ?? "text" };
}

function listOptions({ enum: values, oneOf }: Schema): readonly PlainOption[] {
  if (values) return values.map((value) => ({ value, label: String(value) }));
  if (!oneOf?.every((one) => one.const !== undefined)) return [];
  return oneOf.map((one) => ({
    value: one.const,
    label: [one.title ?? String(one.const), one.description].filter(Boolean).join(": "),
  }));
}

/** A form as it was sent: texts, and ids of files, by the names of their fields. */
export type PostedFields = ReadonlyMap<string, readonly string[]>;

/** The value that a posted form makes by its schema. What was left empty is left out. */
export function readPlainValue(
  fields: readonly PlainField[],
  posted: PostedFields,
): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const field of fields) {
    const read = readField(field, posted.get(field.pointer) ?? []);
    if (read !== undefined) place(value, field.pointer.slice(1).split("/").map(unescape), read);
  }
  return compact(value) as Record<string, unknown>;
}

const unescape = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");

function readField({ kind, options }: PlainField, texts: readonly string[]): unknown {
  const filled = texts.map((text) => text.trim()).filter((text) => text !== "");
  const [first] = filled;
  const valueOf = (text: string): unknown =>
    options.find(({ value }) => String(value) === text)?.value ?? text;
  if (kind === "check") return first === undefined ? undefined : true;
  if (kind === "several" || kind === "file") {
    return filled.length === 0 ? undefined : filled.map(valueOf);
  }
  if (kind === "lines") {
    const lines = (first ?? "").split(/\r?\n/).map((line) => line.trim());
    return first === undefined ? undefined : lines.filter(Boolean);
  }
  if (first === undefined) return undefined;
  if (kind === "choice") return valueOf(first);
  if (kind !== "number") return first;
  const number = Number(first.replace(",", "."));
  return Number.isFinite(number) ? number : first;
}

type Tree = Record<string, unknown>;

/** Puts a value where its path says; numbers are places of a list. */
function place(root: Tree, path: readonly string[], value: unknown): void {
  let at = root;
  for (const part of path.slice(0, -1)) {
    if (!Object.hasOwn(at, part)) at[part] = Object.create(null) as Tree;
    at = at[part] as Tree;
  }
  at[path.at(-1) ?? ""] = value;
}

/** Turns what has numbers for names into lists without their gaps. */
function compact(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value);
  const isList = entries.length > 0 && entries.every(([name]) => /^\d$/.test(name));
  if (isList) return entries.map(([, member]) => compact(member));
  return Object.fromEntries(entries.map(([name, member]) => [name, compact(member)]));
}
