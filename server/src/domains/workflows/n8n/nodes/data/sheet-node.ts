/**
 * Google Sheets: n8n identifies rows by column names in the first row, the API by ranges. So the sheet is read first,
 * a script computes the ranges, and each write is a separate call.
 */
import type { Node } from "../../../definition/index.ts";
import { toCode } from "../../code-text.ts";
import {
  type Convert,
  type ConvertedNode,
  eachScript,
  findApproximations,
  type NodeContext,
  NotConvertible,
  scriptStep,
} from "../../conversion.ts";
import {
  type Json,
  type JsonObject,
  type N8nNode,
  toList,
  toObject,
  toText,
} from "../../n8n-workflow.ts";
import { columns } from "../../services/functions/rows.ts";
import {
  ParameterReader,
  type Service,
  type ServiceCall,
  toServiceCall,
} from "../../services/service-table.ts";
import { callForEach } from "../service-node.ts";
import { findKeyColumns } from "./key-columns.ts";

export const PRESET = "google_sheets";
export const TITLE = "Google Sheets (a service of the catalogue)";

/** Code of the document id. */
export function documentCode(parameters: JsonObject): string {
  const { documentId, sheetId } = parameters;
  const { value, __rl } = toObject(documentId);
  const code = toCode((__rl === true ? value : (documentId ?? sheetId)) ?? "");
  return `n8n.idOf(${code})`;
}

interface SheetName {
  /** Code of the sheet name. With `isNumber` it is the sheet number, and the name is read from the API. */
  readonly code: string;
  readonly isNumber?: true;
  readonly notes: readonly string[];
}

/** The name of a sheet. If a node has only its number, the display name saved by n8n is used. */
export function sheetOf(parameters: JsonObject): SheetName {
  const { sheetName, range } = parameters;
  const { value, mode, cachedResultName, __rl } = toObject(sheetName);
  if (__rl !== true) {
    // Older versions contain a range instead.
    const text = toText(sheetName, toText(range).split("!").slice(0, -1).join("!"));
    return { code: toCode(text), notes: [] };
  }
  if (mode === "name" || (typeof value === "string" && value.startsWith("=")))
    return { code: `n8n.text(${toCode(value ?? "")})`, notes: [] };
  if (typeof cachedResultName === "string" && cachedResultName !== "")
    return { code: JSON.stringify(cachedResultName), notes: ["the sheet is found by its name"] };
  if (value === undefined || value === "" || value === "gid=0" || value === 0 || value === "0")
    return { code: '""', notes: ["the sheet is the first one"] };
  const number = /(?:^|gid=)(\d+)$/.exec(
    typeof value === "number" ? String(value) : toText(value),
  )?.[1];
  if (number !== undefined) return { code: number, isNumber: true, notes: [] };
  return { code: `n8n.text(${toCode(value)})`, notes: ["the sheet is found by its name"] };
}

/** The cells set by an older node or by an option. */
export function cellsOf(parameters: JsonObject): string {
  const { values } = toObject(toObject(parameters["options"])["dataLocationOnSheet"]);
  const { rangeDefinition, range } = toObject(values);
  const given =
    rangeDefinition === "specifyRangeA1" || rangeDefinition === "specifyRange" ? range : undefined;
  const old = toText(parameters["range"]);
  const cells = given ?? (old.startsWith("=") ? old : old.split("!").at(-1));
  return cells === undefined || cells === "" ? '""' : toCode(cells);
}

/** The call that reads a sheet. Filters are applied to the rows of the response. */
export function readCall(parameters: JsonObject): SheetCall {
  const { code, isNumber, notes } = sheetOf(parameters);
  const filters = toList(toObject(parameters["filtersUI"])["values"]).map((one) => {
    const { lookupColumn = "", lookupValue = "" } = toObject(one);
    return `{ column: ${toCode(lookupColumn)}, value: ${toCode(lookupValue)} }`;
  });
  const options = toObject(parameters["options"]);
  const { values } = toObject(options["dataLocationOnSheet"]);
  const { headerRow = 1, firstDataRow } = toObject(values);
  const any = parameters["combineFilters"] === "OR";
  const returned = toObject(options["returnFirstMatch"])["values"] ?? options["returnFirstMatch"];
  const first = filters.length > 0 && returned === true;
  const rows = `n8n.sheetRows(one.body.values ?? [], { header: ${Number(headerRow)}${firstDataRow === undefined ? "" : `, first: ${Number(firstDataRow)}`} })`;
  const listed = `filters: [${filters.join(", ")}]`;
  const id = documentCode(parameters);
  const requestCode = (document: string, sheet: string, cells: string): string =>
    `n8n.sheetRequest(${document}, ${sheet}, ${cells})`;
  return {
    notes,
    call: {
      preset: PRESET,
      title: TITLE,
      action: "request",
      sent: "request",
      ...(isNumber === true
        ? {
            args: `{ id: ${id}, number: ${code}, cells: ${cellsOf(parameters)}, ${listed} }`,
            via: {
              action: "get_spreadsheet",
              args: `{ spreadsheetId: ${id} }`,
              inputs: `[{ request: ${requestCode("asked.id", "n8n.sheetTitle(one.items, asked.number)", "asked.cells")}, filters: asked.filters }]`,
            },
          }
        : {
            args: `{ request: ${requestCode(id, code, cellsOf(parameters))}, ${listed} }`,
          }),
      items:
        filters.length === 0
          ? rows
          : `n8n.sheetFilter(${rows}, asked.filters, { any: ${any}, first: ${first} })`,
      approximations: [],
    },
  };
}

/** A call, with notes about differences. */
export interface SheetCall {
  readonly call: ServiceCall;
  readonly notes: readonly string[];
}

function callSheet(ctx: NodeContext, { call, notes }: SheetCall): ConvertedNode {
  return withNotes(callForEach(ctx, call), notes);
}

function withNotes(made: ConvertedNode, notes: readonly string[]): ConvertedNode {
  return { ...made, approximations: [...(made.approximations ?? []), ...notes] };
}

/** Builds code for the row written for an item. */
export function rowCode({ parameters }: Pick<N8nNode, "parameters">): string {
  if (parameters["columns"] !== undefined) return columns(new ParameterReader(parameters));
  if (
    (parameters["dataMode"] ?? "autoMapInputData") === "autoMapInputData" &&
    parameters["fieldsUi"] === undefined
  )
    return "$json";
  const { fieldValues, values } = toObject(parameters["fieldsUi"]);
  const pairs = toList(fieldValues ?? values).map((one) => {
    const { fieldId, column, fieldValue } = toObject(one);
    return `[${toCode(fieldId ?? column ?? "")}]: ${toCode(fieldValue ?? "")}`;
  });
  const { columnToMatchOn, valueToMatchOn } = parameters;
  const match =
    columnToMatchOn === undefined
      ? []
      : [`[${toCode(columnToMatchOn)}]: ${toCode(valueToMatchOn ?? "")}`];
  return `{ ${[...match, ...pairs].join(", ")} }`;
}

/** A script that groups rows by sheet. Sheet numbers are resolved through the spreadsheet. */
function groupSource(
  id: string,
  { isNumber, isWhole }: { readonly isNumber: boolean; readonly isWhole: boolean },
): string {
  const rows = `input.steps.${id}_args.output`;
  const all = isNumber
    ? `const titles = new Map(input.steps.${id}_books.output.map((book, at) => [book, input.steps.${id}_book.output[at].items]));
const all = ${rows}.map((one) => ({ ...one, sheet: n8n.sheetTitle(titles.get(one.spreadsheetId), one.sheet) }));`
    : `const all = ${rows};`;
  return `${all}
const sheets = Map.groupBy(all, ({ spreadsheetId, sheet }) => JSON.stringify([spreadsheetId, sheet]));
return [...sheets.values()].map((all) => ({ spreadsheetId: all[0].spreadsheetId, range: n8n.sheetRange(all[0].sheet${isWhole ? "" : ', "1:1"'}), rows: all.map(({ row }) => row) }));`;
}

/** Steps that write rows. Rows are grouped by sheet, and each sheet is read once. */
function writeSheet(ctx: NodeContext, plan: string, isWhole: boolean): ConvertedNode {
  const { id, node } = ctx;
  const { parameters } = node;
  const { code, isNumber, notes } = sheetOf(parameters);
  const connectorId = ctx.bind("connector", PRESET, TITLE);
  const name = node.name.slice(0, 200);
  const options = toObject(parameters["options"]);
  const raw = options["cellFormat"] === "RAW" || options["valueInputMode"] === "RAW";
  const mode = raw ? "RAW" : "USER_ENTERED";
  const call = (step: string, action: string, from: string, input: Json): Node => ({
    id: `${id}_${step}`,
    type: "connector",
    name,
    config: { connectorId, action, input },
    forEach: { items: `{{ steps.${id}_${from} }}` },
    ...(node.retries !== undefined && {
      retry: { maxAttempts: Math.min(Math.max(1, node.retries), 20) },
    }),
  });
  const text = JSON.stringify(parameters);
  const row = `{ spreadsheetId: ${documentCode(parameters)}, sheet: n8n.text(${code}), row: ${rowCode(node)} }`;
  const steps: Node[] = [
    eachScript(ctx, `${id}_args`, row, parameters),
    ...(isNumber === true
      ? [
          scriptStep(
            ctx,
            `${id}_books`,
            `return [...new Set(input.steps.${id}_args.output.map(({ spreadsheetId }) => spreadsheetId))];`,
          ),
          call("book", "get_spreadsheet", "books.output", { spreadsheetId: "{{ item }}" }),
        ]
      : []),
    scriptStep(ctx, `${id}_sheets`, groupSource(id, { isNumber: isNumber === true, isWhole })),
    call("read", "read_rows", "sheets.output", {
      spreadsheetId: "{{ item.spreadsheetId }}",
      range: "{{ item.range }}",
    }),
    scriptStep(
      ctx,
      `${id}_plan`,
      `const plans = input.steps.${id}_sheets.output.map(({ spreadsheetId, range, rows }, at) => {
  const values = input.steps.${id}_read.output[at]?.items ?? [];
  const { updates, appends } = ${plan};
  const sheet = range.includes("!") ? range.slice(0, range.lastIndexOf("!") + 1) : range.startsWith("'") ? range + "!" : "";
  return {
    updates: updates.length === 0 ? [] : [{ spreadsheetId, data: updates.map(({ cells, values }) => ({ range: sheet + cells, values })) }],
    appends: appends.length === 0 ? [] : [{ spreadsheetId, range: sheet + "A1", values: appends }],
  };
});
return { updates: plans.flatMap(({ updates }) => updates), appends: plans.flatMap(({ appends }) => appends) };`,
    ),
    call("update", "update_ranges", "plan.output.updates", {
      spreadsheetId: "{{ item.spreadsheetId }}",
      data: "{{ item.data }}",
      valueInputOption: mode,
    }),
    call("append", "append_rows", "plan.output.appends", {
      spreadsheetId: "{{ item.spreadsheetId }}",
      range: "{{ item.range }}",
      values: "{{ item.values }}",
      valueInputOption: mode,
    }),
    scriptStep(ctx, id, `return input.steps.${id}_args.output.map(({ row }) => row);`),
  ];
  return { steps, approximations: [...findApproximations(ctx, text), ...notes] };
}

export function removeCall(parameters: JsonObject): SheetCall {
  const { toDelete = "rows", startIndex, numberToDelete = 1 } = parameters;
  if (toDelete !== "rows") throw new NotConvertible("deletes columns");
  const { code, isNumber, notes } = sheetOf(parameters);
  const found =
    isNumber === true
      ? "Number(asked.sheet)"
      : "(one.items.find(({ properties }) => properties.title === asked.sheet) ?? one.items[0]).properties.sheetId";
  const service: Service = {
    preset: PRESET,
    title: "Google Sheets",
    usual: "sheet.delete",
    actions: [
      {
        on: "sheet.delete",
        action: "delete_rows",
        via: {
          action: "get_spreadsheet",
          input: { spreadsheetId: () => documentCode(parameters) },
          inputs: `[{ spreadsheetId: asked.spreadsheetId, sheetId: ${found}, startIndex: asked.start - 1, endIndex: asked.start - 1 + asked.count }]`,
        },
        input: {
          spreadsheetId: () => documentCode(parameters),
          sheet: () => `n8n.text(${code})`,
          start: () => `Number(${toCode(startIndex ?? 2)})`,
          count: () => `Number(${toCode(numberToDelete)})`,
        },
        items: "=[{ success: true }]",
      },
    ],
  };
  return { call: toServiceCall(service, "googleSheets", { operation: "delete" }), notes };
}

export function clearCall(parameters: JsonObject): SheetCall {
  const {
    clear = "wholeSheet",
    range = "",
    startIndex = 1,
    rowsToDelete = 1,
    keepFirstRow,
  } = parameters;
  const { code, isNumber, notes } = sheetOf({ ...parameters, range: undefined });
  if (isNumber === true) throw new NotConvertible("clears a sheet by its number");
  const cells =
    clear === "specificRange"
      ? toCode(range)
      : clear === "specificRows"
        ? `\`\${Number(${toCode(startIndex)})}:\${Number(${toCode(startIndex)}) + Number(${toCode(rowsToDelete)}) - 1}\``
        : keepFirstRow === true
          ? '"2:1000000"'
          : '""';
  if (clear === "specificColumns") throw new NotConvertible("clears columns");
  const service: Service = {
    preset: PRESET,
    title: "Google Sheets",
    usual: "sheet.clear",
    actions: [
      {
        on: "sheet.clear",
        action: "clear_range",
        input: {
          spreadsheetId: () => documentCode(parameters),
          range: () => `n8n.sheetRange(${code}, ${cells})`,
        },
        items: "=[{ success: true }]",
      },
    ],
  };
  return { call: toServiceCall(service, "googleSheets", { operation: "clear" }), notes };
}

export const OTHERS: Service = {
  preset: PRESET,
  title: "Google Sheets",
  usual: "sheet.create spreadsheet.create",
  takes: "options.tabColor options.index options.sheetId options.locale",
  actions: [
    {
      on: "sheet.create",
      action: "add_sheet",
      input: { spreadsheetId: "documentId|id", title: "title" },
      items: "=n8n.toList([one.body.replies[0].addSheet.properties])",
    },
    {
      on: "spreadsheet.create",
      action: "create_spreadsheet",
      input: {
        title: "title",
        sheets: (read) => {
          const all = toList(toObject(read.raw("sheetsUi"))["sheetValues"]).map(toObject);
          return all.length === 0
            ? undefined
            : `[${all.map(({ title = "", propertiesUi }) => `{ properties: { title: n8n.text(${toCode(title === "" ? (toObject(propertiesUi)["title"] ?? "") : title)}) } }`).join(", ")}]`;
        },
      },
      takes: "sheetsUi",
    },
  ],
};

export const googleSheets: Convert = (ctx) => {
  const { parameters } = ctx.node;
  const { resource = "sheet", operation = resource === "sheet" ? "read" : "create" } = parameters;
  if (resource === "spreadsheet")
    return callForEach(ctx, toServiceCall(OTHERS, "googleSheets", parameters));
  switch (operation) {
    case "read":
    case "lookup":
      return callSheet(ctx, readCall(parameters));
    case "append":
      return writeSheet(ctx, "n8n.sheetAppend(values, rows)", false);
    case "appendOrUpdate":
    case "upsert":
    case "update": {
      const { keys, notes } = findKeyColumns(ctx.node, ctx.bind);
      const more = operation === "update" ? "" : ", { append: true }";
      const plan = `n8n.sheetUpdate(values, rows, ${JSON.stringify(keys)}${more})`;
      return withNotes(writeSheet(ctx, plan, true), notes);
    }
    case "delete":
      return callSheet(ctx, removeCall(parameters));
    case "clear":
      return callSheet(ctx, clearCall(parameters));
    case "create":
      return callForEach(ctx, toServiceCall(OTHERS, "googleSheets", parameters));
    default:
      throw new NotConvertible(`needs googleSheets ${toText(operation)}`);
  }
};
