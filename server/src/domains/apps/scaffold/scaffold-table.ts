/**
 * Generates a complete app for a table: a list with search and sort, a page per record, forms, and a confirmation
 * before deletion.
 */
import type { Column, Table } from "#domains/tables/index.ts";

const COLUMNS_SHOWN_MAX = 7;
const OPTIONS_MAX = 200;
const EXPANDED_MAX = 10;

type Fields = Record<string, unknown>;
type ColumnType = Column["type"];

/** The generated parts of a definition. */
export interface Scaffold {
  readonly name: string;
  readonly pages: readonly Fields[];
  readonly dataSources: readonly Fields[];
  /** Editable columns that the forms of this app leave out. */
  readonly leftOut: readonly LeftOut[];
}

export interface LeftOut {
  readonly column: string;
  readonly title: string;
  readonly reason: string;
}

/** Columns that are computed or generated. */
const COMPUTED: ReadonlySet<ColumnType> = new Set([
  "autonumber",
  "backlinks",
  "lookup",
  "rollup",
  "formula",
  "embedding",
]);
/** Columns for which a form of an app has no input, each with the reason. */
const UNASKED: ReadonlyMap<ColumnType, string> = new Map([
  ["json", "Forms do not support JSON."],
  ["links", "Forms do not support selecting several records."],
  ["multi_enum", "Forms do not support selecting several values."],
  ["vector", "Forms do not support vectors."],
]);
const HIDDEN: ReadonlySet<ColumnType> = new Set(["json", "backlinks", "vector", "embedding"]);

const FORMATS: Partial<Record<ColumnType, string>> = {
  integer: "number",
  decimal: "number",
  duration: "number",
  boolean: "boolean",
  date: "date",
  timestamp: "datetime",
  enum: "badge",
  email: "link",
  url: "link",
  file: "file",
  image: "image",
};

const INPUTS: Partial<Record<ColumnType, string>> = {
  integer: "number",
  decimal: "number",
  duration: "number",
  boolean: "checkbox",
  date: "date",
  timestamp: "datetime",
  enum: "select",
  reference: "select",
  user: "select",
  email: "email",
  url: "url",
  file: "file",
  image: "file",
};

export interface ScaffoldInput {
  readonly table: Table;
  /** The tables that its references lead to, by slug. */
  readonly targets: ReadonlyMap<string, Table>;
  /** The path prefix of its pages; empty for a separate app. */
  readonly base: string;
}

export function scaffoldTable(input: ScaffoldInput): Scaffold {
  const { table, targets, base } = input;
  const { slug, name, columns } = table;
  const source = toSourceName(slug);
  const expand = columns.filter(isExpanded).map((column) => column.name);
  const expanded = expand.length > 0 && { expand: expand.slice(0, EXPANDED_MAX) };
  const byId = { filter: { id: "{{ params.id }}" }, limit: 1 };
  const first = findTitle(columns);
  const displayed = columns.filter(({ type }) => !HIDDEN.has(type));
  const titled = displayed.toSorted((a, b) => Number(b.name === first) - Number(a.name === first));
  const filled = columns.filter(({ type }) => !COMPUTED.has(type));
  const asked = filled.filter(({ type }) => !UNASKED.has(type));
  const parts: PageParts = {
    table,
    source,
    home: base === "" ? "/" : base,
    record: `${base}/record`,
    one: singular(name).toLowerCase(),
    displayed: titled.map(toDisplay(targets)),
    fields: asked.map(toFormField(targets, source)),
  };
  return {
    name,
    pages: [listPage(parts), recordPage(parts)],
    dataSources: [
      { name: source, kind: "table", config: { table: slug, ...expanded } },
      { name: `${source}_one`, kind: "table", config: { table: slug, ...byId, ...expanded } },
      ...listReferenceSources(columns, targets, source),
      ...(asked.some(refersToMember)
        ? [{ name: membersOf(source), kind: "members", config: {} }]
        : []),
    ],
    leftOut: filled.flatMap(({ name: column, title, type }) => {
      const reason = UNASKED.get(type);
      return reason === undefined ? [] : [{ column, title, reason }];
    }),
  };
}

interface PageParts {
  readonly table: Table;
  readonly source: string;
  /** The paths of the list page and the record page. */
  readonly home: string;
  readonly record: string;
  /** The singular name of a record. */
  readonly one: string;
  readonly displayed: readonly Fields[];
  readonly fields: readonly Fields[];
}

function listPage({ table, source, home, record, one, displayed, fields }: PageParts): Fields {
  const { slug, name } = table;
  const form = {
    type: "form",
    fields,
    submit: { type: "create_record", table: slug, message: `The ${one} was created.` },
    submitLabel: "Create",
  };
  const list = {
    id: source,
    type: "table",
    dataSource: source,
    search: true,
    total: true,
    columns: displayed.slice(0, COLUMNS_SHOWN_MAX),
    rowAction: { type: "navigate", page: record, params: { id: "{{ row.id }}" } },
    empty: `No ${name.toLowerCase()} yet.`,
  };
  const words = `New ${one}`;
  const modal = { type: "modal", title: words, openLabel: words, components: [form] };
  return { path: home, title: name, components: [modal, list] };
}

function recordPage({ table, source, home, record, one, displayed, fields }: PageParts): Fields {
  const { slug } = table;
  const own = { table: slug, id: "{{ params.id }}" };
  const form = {
    type: "form",
    dataSource: `${source}_one`,
    fields,
    submit: { type: "update_record", ...own, message: `The ${one} was saved.` },
  };
  const change = {
    type: "modal",
    title: `Edit ${one}`,
    openLabel: "Change",
    components: [form],
  };
  const remove = {
    type: "button",
    label: "Delete",
    style: "danger",
    confirm: `Delete this ${one}?`,
    action: withNext({ type: "delete_record", ...own }, { type: "navigate", page: home }),
  };
  const acts = [change, remove].map((component) => ({ width: 2, components: [component] }));
  return {
    path: record,
    title: one.charAt(0).toUpperCase() + one.slice(1),
    menu: false,
    components: [
      { type: "detail", dataSource: `${source}_one`, fields: displayed },
      { type: "columns", columns: acts },
    ],
  };
}

/** An action with one that follows it. */
function withNext(action: Fields, next: Fields): Fields {
  // `then` is a list, so `await` does not call it.
  // oxlint-disable-next-line unicorn/no-thenable
  return { ...action, then: [next] };
}

const isExpanded = ({ type }: Column): boolean =>
  ["reference", "user", "links", "file", "image"].includes(type);

/** Returns whether a column refers to a member, with either column type. */
const refersToMember = ({ type, options }: Column): boolean =>
  type === "user" || (type === "reference" && options["table"] === "users");

const membersOf = (source: string): string => `${source}_members`;

const targetOf = ({ options: { table } }: Column): string =>
  typeof table === "string" ? table : "";

/** The column that names a record: the first text, otherwise the first column. */
function findTitle(columns: readonly Column[]): string {
  const text = columns.find(({ name }) => /^(name|title|subject)$/.test(name));
  const other = columns.find(({ type }) => type === "text" || type === "autonumber");
  return (text ?? other ?? columns[0])?.name ?? "id";
}

function toDisplay(targets: ReadonlyMap<string, Table>) {
  return (column: Column): Fields => {
    const { name, title, type } = column;
    const target = type === "reference" ? targets.get(targetOf(column)) : undefined;
    // Two decimal places mean an amount of money, which is shown with both.
    const format = type === "decimal" && column.options["scale"] === 2 ? "money" : FORMATS[type];
    return {
      field: target
        ? `${name}.${findTitle(target.columns)}`
        : type === "user"
          ? `${name}.name`
          : name,
      label: title,
      ...(format !== undefined && { format }),
    };
  };
}

function toFormField(targets: ReadonlyMap<string, Table>, source: string) {
  return (column: Column): Fields => {
    const { name, title, type, required, options, description } = column;
    const target = type === "reference" ? targets.get(targetOf(column)) : undefined;
    const input = INPUTS[type] ?? (Number(options["maxLength"] ?? 0) > 500 ? "textarea" : "text");
    const isMember = refersToMember(column);
    const offered =
      type === "enum"
        ? { options: (options["values"] ?? []) as unknown }
        : isMember
          ? { options: `{{ data.${membersOf(source)}.{ "value": id, "label": name } }}` }
          : target && {
              options: `{{ data.${source}_${name}.{ "value": id, "label": ${findTitle(target.columns)} } }}`,
            };
    return {
      name,
      label: title,
      input: type === "reference" && !target && !isMember ? "text" : input,
      ...(required && type !== "boolean" && { required: true }),
      ...offered,
      ...(description !== "" && { help: description }),
    };
  };
}

/** Sources for selecting references. */
function listReferenceSources(
  columns: readonly Column[],
  targets: ReadonlyMap<string, Table>,
  source: string,
): Fields[] {
  return columns.flatMap((column) => {
    const target = column.type === "reference" ? targets.get(targetOf(column)) : undefined;
    if (!target) return [];
    const config = { table: target.slug, sort: findTitle(target.columns), limit: OPTIONS_MAX };
    return [{ name: `${source}_${column.name}`, kind: "table", config }];
  });
}

/** A name that bindings can write. */
export function toSourceName(slug: string): string {
  const name = slug.replaceAll(/[^A-Za-z0-9_]+/g, "_");
  return /^[A-Za-z]/.test(name) ? name : `t_${name}`;
}

/** `Orders` is "Order", `Companies` is "Company". */
export function singular(name: string): string {
  if (/ies$/i.test(name)) return name.replace(/ies$/i, "y");
  if (/(ss|us|is)$/i.test(name)) return name;
  if (/(ch|sh|x|ss)es$/i.test(name)) return name.replace(/es$/i, "");
  return name.replace(/s$/i, "");
}
