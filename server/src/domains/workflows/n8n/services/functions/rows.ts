/** Fields of row-writing nodes: Airtable, Supabase and others. */
import { toCode } from "../../code-text.ts";
import { NotConvertible } from "../../conversion.ts";
import { type JsonObject, toList, toObject, toText } from "../../n8n-workflow.ts";
import { type ParameterReader } from "../service-table.ts";
import type { SourceFunctions } from "./source-function.ts";

/** The fields to write: the listed ones, or all fields of the item. */
export const columns = (read: ParameterReader): string => {
  const mode = toText(read.raw("columns.mappingMode"), "defineBelow");
  read.raw("columns");
  if (mode === "autoMapInputData") return "$json";
  return toCode(toObject(read.raw("columns.value")));
};

/** Columns without the key columns. */
const columnsWithout = (read: ParameterReader, ...keys: readonly string[]): string =>
  `(({ ${keys.map((key, at) => `${JSON.stringify(key)}: _${at}`).join(", ")}, ...fields }) => fields)(${columns(read)})`;

const matchingColumns = (read: ParameterReader): string =>
  toCode(toList(read.raw("columns.matchingColumns")).map((one) => toText(one)));

function airtableBase(read: ParameterReader): string {
  const code = read.code("base") ?? read.code("application") ?? read.code("baseId") ?? '""';
  return `(/app\\w+/.exec(n8n.text(${code}))?.[0] ?? n8n.text(${code}))`;
}

/** The conditions of a node as a Supabase query. */
const supabaseFilter = (read: ParameterReader): string => {
  const match = toText(
    read.raw("matchType"),
    read.raw("operation") === "get" ? "allFilters" : "anyFilter",
  );
  read.raw("filters");
  if (read.raw("filterType") === "string")
    return `Object.fromEntries(new URLSearchParams(${read.text("filterString")}))`;
  const list = toList(toObject(read.raw("filters"))["conditions"]).map((one) => {
    const { keyName = "", condition = "eq", keyValue = "", searchFunction } = toObject(one);
    const operator = condition === "fullText" ? toText(searchFunction, "fts") : toText(condition);
    return {
      name: toCode(keyName),
      value: `${JSON.stringify(`${operator}.`)} + n8n.text(${toCode(keyValue)})`,
    };
  });
  if (list.length === 0) return "{}";
  if (match === "allFilters" || list.length === 1)
    return `{ ${list.map(({ name, value }) => `[${name}]: ${value}`).join(", ")} }`;
  return `{ or: "(" + [${list.map(({ name, value }) => `${name} + "." + ${value}`).join(", ")}].join(",") + ")" }`;
};

/** Builds fields from single values or from the whole item. */
const fieldValues = (
  read: ParameterReader,
  group: string,
  nameOf: string,
  valueOf: string,
): string => {
  const ignored = toText(read.raw("inputsToIgnore"));
  if (/auto|mapped/i.test(toText(read.raw("dataToSend"), "defineBelow")))
    return ignored === ""
      ? "$json"
      : `Object.fromEntries(Object.entries($json).filter(([name]) => !n8n.list(${toCode(ignored)}).includes(name)))`;
  read.raw(group);
  const pairs = toList(toObject(read.raw(group))["fieldValues"]).map((one) => {
    const field = toObject(one);
    if (field["binaryData"] === true) throw new NotConvertible("writes a file to a field");
    return `[${toCode(field[nameOf] ?? "")}]: ${toCode(field[valueOf] ?? "")}`;
  });
  return `{ ${pairs.join(", ")} }`;
};

/** A list of strings, or of objects with the string in a field. */
function textList(read: ParameterReader, path: string, member: string): string | undefined {
  const list = toList(read.raw(path)).map((one) => {
    const value = toObject(one)[member] ?? one;
    return `n8n.text(${toCode(value)})`;
  });
  return list.length === 0 ? undefined : `[${list.join(", ")}]`;
}

/** The fields of a new Airtable record. */
const airtableFields = (read: ParameterReader): string => {
  if (read.raw("columns") !== undefined) return columnsWithout(read, "id");
  const names = toList(read.raw("fields"));
  return read.raw("addAllFields") === false && names.length > 0
    ? `Object.fromEntries(${toCode(names)}.map((name) => [name, $json[name]]))`
    : "$json";
};

const airtableSort = (read: ParameterReader): string | undefined => {
  const all = toList(toObject(read.raw("sort"))["property"]).map(toObject);
  return all.length === 0
    ? undefined
    : `[${all.map(({ field = "", direction = "asc" }) => `{ field: ${toCode(field)}, direction: ${toCode(direction)} }`).join(", ")}]`;
};

export const rowFunctions: SourceFunctions = {
  columns,
  columnsWithout,
  matchingColumns,
  airtableBase,
  airtableFields,
  airtableSort,
  supabaseFilter,
  fieldValues,
  textList,
};

/** An Airtable update or upsert finds its record by id or by columns. */
export const airtableOperation = ({ operation, columns: row }: JsonObject): string | undefined => {
  const keys = toList(toObject(row)["matchingColumns"]).map((one) => toText(one));
  const isById = keys.length === 0 || keys.includes("id");
  if (operation === "update" && row !== undefined && !isById) return "updateBy";
  return operation === "upsert" && isById ? "upsertById" : undefined;
};
