/** Converts a filter to a SQL statement for the editor, with the same records as the list. */
import { quoteName, quoteValue } from "../../sql/index.ts";
import type { GridColumn } from "../column/column.ts";
import { asText } from "../column/value.ts";
import { parseSort } from "../views/layout.ts";
import type { FilterNode, FilterRule } from "./filter-tree.ts";

const SYSTEM: Readonly<Record<string, string>> = {
  createdAt: "created_at",
  updatedAt: "updated_at",
  createdBy: "created_by",
};
const COMPARISONS: Readonly<Record<string, string>> = {
  eq: "=",
  ne: "is distinct from",
  gt: ">",
  gte: ">=",
  lt: "<",
  lte: "<=",
};
const LISTS = new Set(["multi_enum", "links", "backlinks"]);

interface FilterSql {
  readonly slug: string;
  readonly tree: FilterNode;
  readonly sort: string;
  readonly columns: readonly GridColumn[];
}

export function toSql({ slug, tree, sort, columns }: FilterSql): string {
  const where = conditionOf(tree, columns);
  const order = parseSort(sort).map(
    ([name, way]) => `${nameOf(name)}${way === "desc" ? " desc" : ""}`,
  );
  return [
    "select *",
    `from ${quoteName(slug)}`,
    ...(where === "" ? [] : [`where ${where}`]),
    ...(order.length === 0 ? [] : [`order by ${order.join(", ")}`]),
  ].join("\n");
}

const nameOf = (field: string): string => quoteName(SYSTEM[field] ?? field);

function conditionOf(node: FilterNode, columns: readonly GridColumn[]): string {
  if (node.kind === "other")
    return `true /* ${JSON.stringify(node.condition).replaceAll("*/", "")} */`;
  if (node.kind === "rule") return ruleOf(node, columns);
  const parts = node.parts.map((part) => conditionOf(part, columns)).filter(Boolean);
  const [first = ""] = parts;
  return parts.length < 2 ? first : `(${parts.join(node.mode === "or" ? "\n   or " : "\n  and ")})`;
}

function ruleOf({ field, operator, value }: FilterRule, columns: readonly GridColumn[]): string {
  const name = nameOf(field);
  if (operator === "empty") return `${name} is null`;
  if (operator === "filled") return `${name} is not null`;
  const isNone = value === null || value === "" || (Array.isArray(value) && value.length === 0);
  if (isNone) return "";
  if (operator === "in" || operator === "nin") {
    const list = (Array.isArray(value) ? value : [value]).map(quoteValue).join(", ");
    return `${name} ${operator === "nin" ? "not " : ""}in (${list})`;
  }
  const isList = LISTS.has(columns.find((one) => one.name === field)?.type ?? "");
  if (operator === "contains" && isList) return `${quoteValue(value)} = any(${name})`;
  const text = asText(value).replaceAll(/[\\%_]/g, String.raw`\$&`);
  if (operator === "contains") return `${name} ilike ${quoteValue(`%${text}%`)}`;
  if (operator === "startsWith") return `${name} ilike ${quoteValue(`${text}%`)}`;
  if (operator === "endsWith") return `${name} ilike ${quoteValue(`%${text}`)}`;
  return `${name} ${COMPARISONS[operator] ?? "="} ${quoteValue(value)}`;
}
