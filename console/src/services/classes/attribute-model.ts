/** Edits the attributes of a class as lines. Schemas that lines can't represent are kept unchanged. */

export const KINDS = [
  ["text", "Text"],
  ["number", "Number"],
  ["integer", "Whole number"],
  ["boolean", "Checkbox"],
  ["choice", "Choice"],
  ["list", "Text list"],
  ["date", "Date"],
  ["date-time", "Date and time"],
  ["email", "E-mail address"],
  ["hostname", "Host name"],
  ["ipv4", "IPv4 address"],
  ["ipv6", "IPv6 address"],
  ["uri", "URL"],
  ["uuid", "UUID"],
  ["other", "JSON schema"],
] as const;
export type AttributeKind = (typeof KINDS)[number][0];

type Schema = Readonly<Record<string, unknown>>;

export interface AttributeLine {
  readonly name: string;
  readonly kind: AttributeKind;
  readonly isRequired: boolean;
  /** For choices: one per line. */
  readonly choices: string;
  /** The original schema, whose limits for lengths and numbers are kept. */
  readonly schema: Schema;
}

export interface AttributeTable {
  readonly lines: readonly AttributeLine[];
  /** True if items may have additional attributes. */
  readonly isOpen: boolean;
}

/** A class while the user edits it. */
export interface ClassDraft {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly extends: string | null;
  readonly attributes: AttributeTable;
}

const FORMATS: readonly string[] = [
  "date",
  "date-time",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uri",
  "uuid",
];
const PLAIN: readonly string[] = ["number", "integer", "boolean"];

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function toTable(schema: Schema): AttributeTable {
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const lines = Object.entries(properties).map(([name, given]) => {
    const own = isSchema(given) ? given : {};
    return {
      name,
      kind: kindOf(own),
      isRequired: required.includes(name),
      choices: Array.isArray(own["enum"]) ? own["enum"].map(String).join("\n") : "",
      schema: own,
    };
  });
  return { lines, isOpen: schema["additionalProperties"] !== false };
}

function kindOf(schema: Schema): AttributeKind {
  const { type, format } = schema;
  const choices = schema["enum"];
  if (Array.isArray(choices)) {
    return choices.every((one) => typeof one === "string") ? "choice" : "other";
  }
  if (type === "string" && format === undefined) return "text";
  if (type === "string" && FORMATS.includes(String(format))) return format as AttributeKind;
  if (PLAIN.includes(String(type))) return type as AttributeKind;
  const { items } = schema;
  if (type === "array" && isSchema(items) && items["type"] === "string") return "list";
  return "other";
}

/** Returns the schema that the server stores. */
export function toSchema({ lines, isOpen }: AttributeTable): Record<string, unknown> {
  const named = lines.filter(({ name }) => name.trim() !== "");
  const required = named.filter(({ isRequired }) => isRequired).map(({ name }) => name.trim());
  return {
    type: "object",
    properties: Object.fromEntries(named.map((line) => [line.name.trim(), toProperty(line)])),
    ...(required.length > 0 && { required }),
    ...(!isOpen && { additionalProperties: false }),
  };
}

function toProperty({ kind, choices, schema }: AttributeLine): Schema {
  if (kind === kindOf(schema) && kind !== "choice") return schema;
  if (kind === "choice") {
    const values = choices
      .split("\n")
      .map((one) => one.trim())
      .filter(Boolean);
    return { type: "string", enum: [...new Set(values)] };
  }
  if (kind === "text") return { type: "string" };
  if (kind === "list") return { type: "array", items: { type: "string" } };
  return PLAIN.includes(kind) ? { type: kind } : { type: "string", format: kind };
}

interface Inherits {
  readonly name: string;
  readonly extends: string | null;
  readonly attributes: Schema;
}

/** Merges the attributes of a class with inherited ones; the nearest definition applies. */
export function mergeAttributes(classes: readonly Inherits[], name: string): Schema {
  const chain: Inherits[] = [];
  let next: string | null = name;
  while (next !== null && chain.length <= classes.length) {
    const found: Inherits | undefined = classes.find((one) => one.name === next);
    if (!found) break;
    chain.unshift(found);
    next = found.extends;
  }
  const tables = chain.map(({ attributes }) => attributes);
  const required = tables.flatMap((one) => (Array.isArray(one["required"]) ? one["required"] : []));
  return {
    type: "object",
    properties: Object.assign({}, ...tables.map((one) => one["properties"] ?? {})) as Schema,
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}
