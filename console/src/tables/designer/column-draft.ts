/** A column as somebody designs it. */

export interface ColumnDraft {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly isUnique: boolean;
  readonly isIndexed: boolean;
  readonly description: string;
  /** Of choices, one a line. */
  readonly values: string;
  /** The table of a reference. */
  readonly target: string;
  readonly scale: string;
  readonly isMultiline: boolean;
}

export const NEW_COLUMN: ColumnDraft = {
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
};

/** The types that somebody can give a column here. */
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
  "autonumber",
  "json",
];

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

/** `Unit price (€)` as `unitPrice`: people write words, the API has names. */
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

/** What is missing before it can be made; undefined when nothing is. */
export function draftFault(draft: ColumnDraft, taken: readonly string[]): string | undefined {
  const name = toColumnName(draft.name);
  if (name === "") return "Give it a name.";
  if (taken.includes(name)) return `There is a column ${name} already.`;
  if (isChoice(draft.type) && valuesOf(draft).length === 0) return "Name the choices.";
  if (draft.type === "reference" && draft.target === "") return "Choose a table.";
  return undefined;
}

export function toOptions(draft: ColumnDraft): Readonly<Record<string, unknown>> {
  if (isChoice(draft.type)) return { values: valuesOf(draft) };
  if (draft.type === "reference") return { table: draft.target };
  if (draft.type === "decimal") return { scale: Number(draft.scale) || 0 };
  if (draft.type === "text" && draft.isMultiline) return { multiline: true };
  return {};
}

/** The column as the API takes it. */
export function toNewColumn(draft: ColumnDraft) {
  return {
    name: toColumnName(draft.name),
    type: draft.type,
    required: draft.isRequired,
    unique: draft.isUnique,
    indexed: draft.isIndexed,
    options: toOptions(draft),
    ...(draft.description !== "" && { description: draft.description }),
  };
}
