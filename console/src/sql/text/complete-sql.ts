/** Completion from the schema: first columns of the tables in the statement, then tables and functions. */
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import type { Schemas } from "../../data/api.ts";
import { findAliases, isInText, quoteName } from "./sql-tokens.ts";

export type SqlSchema = Schemas["QuerySchema"];
type Relation = SqlSchema["relations"][number];

const KEYWORDS =
  "select from where group by having order by limit offset join left join on using as and or not in is null between like ilike exists case when then else end distinct with union all values asc desc nulls last filter over partition by interval current_date true false".split(
    " ",
  );

const COLUMN_BOOST = 20;
const RELATION_BOOST = 10;

export function completeSql(schema: SqlSchema | undefined) {
  return (context: CompletionContext): CompletionResult | null => {
    const found = schema && completionsAt(context.state.doc.toString(), context.pos, schema);
    if (!found || (!context.explicit && found.from === context.pos && !found.isSure)) return null;
    return { from: found.from, options: found.options, validFor: /^"?\w*$/ };
  };
}

interface Found {
  readonly from: number;
  readonly options: readonly Completion[];
  /** True after a dot, where only columns are possible. */
  readonly isSure: boolean;
}

export function completionsAt(text: string, at: number, schema: SqlSchema): Found | undefined {
  const before = text.slice(0, at);
  if (isInText(before)) return undefined;
  const [word = ""] = /"?\w*$/.exec(before) ?? [];
  const from = at - word.length;
  const aliases = findAliases(text);
  const path = /(?:"([^"]+)"|(\w+))\.$/.exec(before.slice(0, from));
  if (path) {
    const name = aliases.get(path[1] ?? path[2]?.toLowerCase() ?? "") ?? path[2]?.toLowerCase();
    const relation = schema.relations.find((one) => one.name === name);
    return { from, isSure: true, options: relation?.columns.map(toColumnOption) ?? [] };
  }
  if (/\b(?:from|join)\s+$/i.test(before.slice(0, from))) {
    return { from, isSure: true, options: schema.relations.map(toRelationOption) };
  }
  const named = new Set(aliases.values());
  const columns = schema.relations
    .filter(({ name }) => named.has(name))
    .flatMap((relation) => relation.columns.map((column) => toColumnOption(column, relation)));
  return {
    from,
    isSure: false,
    options: [
      ...columns,
      ...schema.relations.map(toRelationOption),
      ...schema.functions.map(toFunctionOption),
      ...new Set(KEYWORDS).values().map((label): Completion => ({ label, boost: -10 })),
    ],
  };
}

function toColumnOption(column: Relation["columns"][number], relation?: unknown): Completion {
  const { name, title, type } = column;
  const parts = [title, type, isRelation(relation) ? relation.name : undefined];
  const detail = parts.filter((part) => part !== undefined).join(" · ");
  return { label: name, apply: quoteName(name), detail, boost: COLUMN_BOOST };
}

const isRelation = (value: unknown): value is Relation =>
  typeof value === "object" && value !== null && "columns" in value;

function toRelationOption({ name, title }: Relation): Completion {
  return {
    label: name,
    apply: quoteName(name),
    detail: title === name ? "table" : title,
    boost: RELATION_BOOST,
  };
}

function toFunctionOption(name: string): Completion {
  return {
    label: name,
    detail: "function",
    apply(view, _, from, to) {
      view.dispatch({
        changes: { from, to, insert: `${name}()` },
        selection: { anchor: from + name.length + 1 },
      });
    },
  };
}
