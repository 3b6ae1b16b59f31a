/** A column definition while the user edits it. */
import { count } from "../../ui/words.ts";
import { choicesOf, type Column } from "../column/column.ts";

export interface ColumnDraft {
  /** The title; the server derives the name from it. */
  readonly title: string;
  /** The API name of an existing column. Users can rename it for API clients. */
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly isUnique: boolean;
  readonly isIndexed: boolean;
  readonly description: string;
  /** For choices: one per line. */
  readonly values: string;
  /** For references: the target table. */
  readonly target: string;
  readonly scale: string;
  readonly isMultiline: boolean;
  /** For links: the name of the inverse column in the target table. */
  readonly inverse: string;
  /** The lookup path, such as `customer.city`. */
  readonly path: string;
  /** For rollups: the column that lists the records. */
  readonly via: string;
  readonly function: string;
  /** For rollups: the field of the listed records. For backlinks: the column that refers to this table. */
  readonly field: string;
  readonly expression: string;
  /** For embeddings: the text columns to embed. */
  readonly sources: readonly string[];
  /** For vectors. */
  readonly dimensions: string;
}

export const NEW_COLUMN: ColumnDraft = {
  title: "",
  name: "",
  type: "text",
  isRequired: false,
  isUnique: false,
  isIndexed: false,
  description: "",
  values: "",
  target: "users",
  scale: "2",
  isMultiline: false,
  inverse: "",
  path: "",
  via: "",
  function: "count",
  field: "",
  expression: "",
  sources: [],
  dimensions: "384",
};

export const TYPES: readonly string[] = [
  "text",
  "integer",
  "decimal",
  "boolean",
  "date",
  "timestamp",
  "enum",
  "multi_enum",
  "reference",
  "links",
  "user",
  "duration",
  "email",
  "url",
  "file",
  "image",
  "autonumber",
  "json",
  "formula",
  "lookup",
  "rollup",
  "backlinks",
  "embedding",
  "vector",
];

const COMPUTED = new Set(["formula", "lookup", "rollup", "backlinks", "embedding"]);

/** Returns whether the type is computed and not stored; such columns can't be required or unique. */
export const isComputedType = (type: string): boolean => COMPUTED.has(type);

/** Returns whether the column can have an index; formulas are the only computed type with indexes. */
export const isIndexableType = (type: string): boolean =>
  type === "formula" || (!isComputedType(type) && type !== "vector");

/** The functions of a rollup with their labels. */
export const ROLLUPS: readonly (readonly [string, string])[] = [
  ["count", "Count"],
  ["sum", "Sum"],
  ["avg", "Average"],
  ["min", "Minimum"],
  ["max", "Maximum"],
  ["unique", "Count of unique values"],
  ["any", "Yes if any is yes"],
  ["all", "Yes if all are yes"],
];

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

/** Derives a column name from a title: `Our orders` becomes `ourOrders`. Used for the inverse column of links. */
export function toColumnName(words: string): string {
  const [first = "", ...rest] = words
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  const isName = rest.length === 0 && NAME.test(first);
  const head = isName ? first.charAt(0).toLowerCase() + first.slice(1) : first.toLowerCase();
  const name = [head, ...rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join("");
  return name.replace(/^[^A-Za-z]+/, "").slice(0, 63);
}

const isChoice = (type: string): boolean => type === "enum" || type === "multi_enum";

export function valuesOf({ values }: Pick<ColumnDraft, "values">): readonly string[] {
  return [
    ...new Set(
      values
        .split(/[\n;]/)
        .map((value) => value.trim())
        .filter(Boolean),
    ),
  ];
}

/** Returns why the column can't be created yet; undefined if it can. */
export function draftFault(draft: ColumnDraft, taken: readonly string[]): string | undefined {
  const { title, name } = draft;
  if (title.trim() === "") return "Enter a title.";
  if (name !== "" && !NAME.test(name)) {
    return "The API name can contain letters, digits and _, and must start with a letter. Example: orderDate";
  }
  if (taken.includes(name)) return `Another column already uses the API name ${name}.`;
  if (isChoice(draft.type) && valuesOf(draft).length === 0) return "Enter at least one option.";
  return relationFault(draft);
}

function relationFault(draft: ColumnDraft): string | undefined {
  const isTable = draft.target !== "" && draft.target !== "users";
  switch (draft.type) {
    case "reference":
      return draft.target === "" ? "Select a table." : undefined;
    case "links":
      return isTable ? undefined : "Select a table.";
    case "backlinks":
      return isTable && draft.field !== ""
        ? undefined
        : "Select the column that refers to this table.";
    case "lookup":
      return /.\../.test(draft.path) ? undefined : "Select a reference and a field.";
    case "rollup":
      if (draft.via === "") return "Select the records to roll up.";
      return draft.function !== "count" && draft.field === "" ? "Select a field." : undefined;
    case "formula":
      return draft.expression.trim() === "" ? "Enter a formula." : undefined;
    case "embedding":
      return draft.sources.length === 0 ? "Select at least one text column." : undefined;
    default:
      return undefined;
  }
}

export function toOptions(draft: ColumnDraft): Readonly<Record<string, unknown>> {
  if (isChoice(draft.type)) return { values: valuesOf(draft) };
  if (draft.type === "reference") return { table: draft.target };
  if (draft.type === "links") {
    const inverse = toColumnName(draft.inverse);
    return { table: draft.target, ...(inverse !== "" && { inverse }) };
  }
  if (draft.type === "backlinks") return { table: draft.target, column: draft.field };
  if (draft.type === "lookup") return { path: draft.path };
  if (draft.type === "formula") return { expression: draft.expression.trim() };
  if (draft.type === "embedding") return { columns: draft.sources };
  if (draft.type === "vector") return { dimensions: Number(draft.dimensions) || 0 };
  if (draft.type === "rollup") {
    const field = draft.field === "" ? {} : { field: draft.field };
    return { via: draft.via, function: draft.function, ...field };
  }
  if (draft.type === "decimal") return { scale: Number(draft.scale) || 0 };
  if (draft.type === "text" && draft.isMultiline) return { multiline: true };
  return {};
}

/** Converts the draft to the API format. */
export function toNewColumn(draft: ColumnDraft) {
  const isStored = !isComputedType(draft.type);
  return {
    title: draft.title,
    type: draft.type,
    required: isStored && draft.isRequired,
    unique: isStored && draft.isUnique,
    indexed: isIndexableType(draft.type) && draft.isIndexed,
    options: toOptions(draft),
    ...(draft.description !== "" && { description: draft.description }),
  };
}

/** Converts an existing column to a draft. */
export function toDraft(column: Column): ColumnDraft {
  const { options } = column;
  const text = (name: string, other = ""): string => {
    const value = options[name];
    return typeof value === "string" ? value : other;
  };
  const { scale, dimensions } = options;
  return {
    ...NEW_COLUMN,
    title: column.title,
    name: column.name,
    type: column.type,
    isRequired: column.required,
    isUnique: column.unique,
    isIndexed: column.indexed,
    description: column.description,
    values: choicesOf(column).join("\n"),
    target: text("table", "users"),
    scale: String(typeof scale === "number" ? scale : 2),
    isMultiline: options["multiline"] === true,
    inverse: text("inverse"),
    path: text("path"),
    via: text("via"),
    function: text("function", "count"),
    field: column.type === "backlinks" ? text("column") : text("field"),
    expression: text("expression"),
    sources: Array.isArray(options["columns"]) ? options["columns"].map(String) : [],
    dimensions: String(typeof dimensions === "number" ? dimensions : NEW_COLUMN.dimensions),
  };
}

/** Describes the cost of a change: whether it rewrites records and blocks writes. */
export function costOf(
  column: Column,
  draft: ColumnDraft,
  { records, filled }: { readonly records: number; readonly filled: number },
): string {
  const isIndex = (draft.isUnique && !column.unique) || (draft.isIndexed && !column.indexed);
  if (isComputedType(draft.type) && isComputedType(column.type)) {
    if (draft.type === "formula" && isIndex) return indexCost(records);
    if (draft.type === "formula" && draft.isIndexed) {
      return "The index is rebuilt if the formula changes.";
    }
    if (draft.type === "embedding") {
      return "The model reads all texts again after the change. No records are locked.";
    }
    return "The values are computed when records are read. No records are locked.";
  }
  if (draft.type !== column.type) {
    return `Changing the type rewrites ${count(records, "record")} and locks the table. If a value can't be converted, the column is not changed.`;
  }
  if (draft.isRequired && !column.required && filled < records) {
    return `${count(records - filled, "record")} ${records - filled === 1 ? "has" : "have"} no value in this column. Enter values first.`;
  }
  return isIndex ? indexCost(records) : "This change does not rewrite records.";
}

const indexCost = (records: number): string =>
  `Builds an index over ${count(records, "record")}. Writes wait until it is ready.`;
