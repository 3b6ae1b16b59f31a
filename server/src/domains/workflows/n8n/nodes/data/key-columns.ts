/** Finds the columns a Sheets node uses to identify a row. */
import { type NodeContext, NotConvertible } from "../../conversion.ts";
import { type N8nNode, toList, toObject, toText } from "../../n8n-workflow.ts";

/** n8n fails until the user selects the column, so the import requests it. */
const ASKED_COLUMN = "the column that identifies a row was chosen in the import";

interface KeyColumns {
  readonly keys: readonly string[];
  readonly notes: readonly string[];
}

/** The columns that identify a row. */
export function findKeyColumns(
  { name, parameters }: Pick<N8nNode, "name" | "parameters">,
  bind: NodeContext["bind"],
): KeyColumns {
  const { columnToMatchOn, key, operation } = parameters;
  const keys = toList(toObject(parameters["columns"])["matchingColumns"]).map((one) => toText(one));
  const old = toText(columnToMatchOn, toText(key));
  const all = keys.length > 0 ? keys : old === "" ? [] : [old];
  const isAuto = toObject(parameters["columns"])["mappingMode"] === "autoMapInputData";
  // As in n8n: without key columns no rows are equal, so all are added.
  if (all.length === 0 && isAuto && operation !== "update") return { keys: [], notes: [] };
  if (all.length > 0 && !all.some((one) => one.startsWith("="))) return { keys: all, notes: [] };
  const asked = bind("text", `column ${name}`, `${name}: the column that identifies a row`);
  if (asked === "") throw new NotConvertible("has no column that identifies a row");
  return { keys: [asked], notes: [ASKED_COLUMN] };
}
