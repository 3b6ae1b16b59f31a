/** Google Sheets as an agent tool: one script reads the current rows, and writes the row of the model. */
import { NotConvertible } from "../conversion.ts";
import { type JsonObject, type NodePart, toObject, toText } from "../n8n-workflow.ts";
import {
  clearCall,
  documentCode,
  OTHERS,
  PRESET,
  readCall,
  removeCall,
  rowCode,
  type SheetCall,
  sheetOf,
  TITLE,
} from "../nodes/data/sheet-node.ts";
import { findKeyColumns } from "../nodes/data/key-columns.ts";
import { toServiceCall } from "../services/service-table.ts";
import { callTool, invokeCode, scriptTool } from "./service-tool.ts";
import type { ToolContext } from "./tool-context.ts";

export function sheetTool({ node }: NodePart, ctx: ToolContext): JsonObject {
  const { parameters } = node;
  const { resource = "sheet", operation = "read" } = parameters;
  if (resource === "spreadsheet")
    return callTool(toServiceCall(OTHERS, node.type, parameters), ctx);
  switch (operation) {
    case "read":
    case "lookup":
      return noteCall(readCall(parameters), ctx);
    case "delete":
      return noteCall(removeCall(parameters), ctx);
    case "clear":
      return noteCall(clearCall(parameters), ctx);
    case "append":
      return writeTool(node, ctx, "n8n.sheetAppend(values, [row])");
    case "appendOrUpdate":
    case "update": {
      const { keys, notes } = findKeyColumns(node, ctx.bind);
      ctx.approximations.push(...notes);
      const more = operation === "update" ? "" : ", { append: true }";
      return writeTool(node, ctx, `n8n.sheetUpdate(values, [row], ${JSON.stringify(keys)}${more})`);
    }
    default:
      throw new NotConvertible(`needs the tool googleSheets ${toText(operation)}`);
  }
}

function noteCall({ call, notes }: SheetCall, ctx: ToolContext): JsonObject {
  ctx.approximations.push(...notes);
  return callTool(call, ctx);
}

function writeTool(node: NodePart["node"], ctx: ToolContext, plan: string): JsonObject {
  const { parameters } = node;
  const { code, isNumber, notes } = sheetOf(parameters);
  ctx.approximations.push(...notes);
  const invoke = invokeCode(ctx.bind("connector", PRESET, TITLE));
  const options = toObject(parameters["options"]);
  const mode = options["cellFormat"] === "RAW" ? "RAW" : "USER_ENTERED";
  const given = `const spreadsheetId = ${documentCode(parameters)}, given = ${code}, row = ${rowCode(node)};`;
  const title =
    isNumber === true
      ? `n8n.sheetTitle((${invoke("get_spreadsheet", "{ spreadsheetId }")}).items, given)`
      : "n8n.text(given)";
  return scriptTool(
    ctx,
    given,
    `${given}
const sheet = ${title};
const values = (${invoke("read_rows", "{ spreadsheetId, range: n8n.sheetRange(sheet) }")}).items ?? [];
const { updates, appends } = ${plan};
const before = sheet === "" ? "" : n8n.sheetRange(sheet) + "!";
if (updates.length > 0) ${invoke("update_ranges", `{ spreadsheetId, data: updates.map(({ cells, values }) => ({ range: before + cells, values })), valueInputOption: "${mode}" }`)};
if (appends.length > 0) ${invoke("append_rows", `{ spreadsheetId, range: before + "A1", values: appends, valueInputOption: "${mode}" }`)};
return [row];`,
  );
}
