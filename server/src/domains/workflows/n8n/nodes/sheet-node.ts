/**
 * Google Sheets: n8n knows rows by the names in the first one, the API by ranges. So what is there is read first, a script
 * says which ranges are written, and each write is a call of its own.
 */
import type { Node } from "../../definition/index.ts";
import { toCode } from "../code-text.ts";
import {
  type Convert,
  type ConvertedNode,
  eachScript,
  findApproximations,
  type NodeContext,
  NotConvertible,
  scriptStep,
} from "../conversion.ts";
import { type Json, type JsonObject, toList, toObject, toText } from "../n8n-workflow.ts";
import { columns } from "../services/data.ts";
import { toServiceCall, ParameterReader, type Service } from "../services/service-table.ts";
import { callForEach } from "./service-node.ts";

const PRESET = "google_sheets";
const TITLE = "Google Sheets (a service of the catalogue)";

/** The code of a document's id. */
function documentCode(parameters: JsonObject): string {
  const { documentId, sheetId } = parameters;
  const { value, __rl } = toObject(documentId);
  const code = toCode((__rl === true ? value : (documentId ?? sheetId)) ?? "");
  return `n8n.idOf(${code})`;
}

interface SheetName {
  /** Code of its name. */
  readonly code: string;
  readonly notes: readonly string[];
}

/** The name of a sheet. Where a node has its number alone, the name is the one that n8n showed beside it. */
function sheetOf(parameters: JsonObject): SheetName {
  const { sheetName, range } = parameters;
  const { value, mode, cachedResultName, __rl } = toObject(sheetName);
  if (__rl !== true) {
    // Older versions have a range in its place.
    const text = toText(sheetName, toText(range).split("!").slice(0, -1).join("!"));
    return { code: toCode(text), notes: [] };
  }
  if (mode === "name" || (typeof value === "string" && value.startsWith("=")))
    return { code: `n8n.text(${toCode(value ?? "")})`, notes: [] };
  if (typeof cachedResultName === "string" && cachedResultName !== "")
    return { code: JSON.stringify(cachedResultName), notes: ["the sheet is found by its name"] };
  if (value === undefined || value === "" || value === "gid=0" || value === 0 || value === "0")
    return { code: '""', notes: ["the sheet is the first one"] };
  throw new NotConvertible("names a sheet by its number alone");
}

/** The cells that an older node, or an option, names. */
function cellsOf(parameters: JsonObject): string {
  const { values } = toObject(toObject(parameters["options"])["dataLocationOnSheet"]);
  const { rangeDefinition, range } = toObject(values);
  const given =
    rangeDefinition === "specifyRangeA1" || rangeDefinition === "specifyRange" ? range : undefined;
  const old = toText(parameters["range"]);
  const cells = given ?? (old.startsWith("=") ? old : old.split("!").at(-1));
  return cells === undefined || cells === "" ? '""' : toCode(cells);
}

const readSheet: Convert = (ctx) => {
  const { parameters } = ctx.node;
  const { code, notes } = sheetOf(parameters);
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
  const rows = `n8n.sheetRows(one.items, { header: ${Number(headerRow)}${firstDataRow === undefined ? "" : `, first: ${Number(firstDataRow)}`} })`;
  const service: Service = {
    preset: PRESET,
    title: "Google Sheets",
    usual: "sheet.read",
    actions: [
      {
        on: "sheet.read",
        action: "request",
        input: {
          method: '="GET"',
          path: () =>
            `"/v4/spreadsheets/" + encodeURIComponent(${documentCode(parameters)}) + "/values/" + encodeURIComponent(n8n.sheetRange(${code}, ${cellsOf(parameters)}))`,
          query:
            '={ valueRenderOption: "UNFORMATTED_VALUE", dateTimeRenderOption: "FORMATTED_STRING" }',
        },
      },
    ],
  };
  const call = toServiceCall(service, "googleSheets", { operation: "read" });
  const filtered =
    filters.length === 0
      ? undefined
      : `{ request: ${call.args}, filters: [${filters.join(", ")}] }`;
  const items = rows.replace("one.items", "one.body.values ?? []");
  if (filtered === undefined) return withNotes(callForEach(ctx, { ...call, items }), notes);
  const made = callForEach(ctx, {
    ...call,
    args: filtered,
    items: `n8n.sheetFilter(${items}, asked.filters, { any: ${any}, first: ${first} })`,
  });
  return withNotes(
    {
      ...made,
      steps: made.steps.map((step) =>
        step.id === `${ctx.id}_call`
          ? { ...step, config: { ...step.config, input: "{{ item.request }}" } }
          : step,
      ),
    },
    notes,
  );
};

function withNotes(made: ConvertedNode, notes: readonly string[]): ConvertedNode {
  return { ...made, approximations: [...(made.approximations ?? []), ...notes] };
}

/** The row that a node writes for an item. */
function rowCode({ node: { parameters } }: NodeContext): string {
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

function matchOf({ node: { parameters } }: NodeContext): string[] {
  const { columnToMatchOn, key } = parameters;
  const keys = toList(toObject(parameters["columns"])["matchingColumns"]).map((one) => toText(one));
  const old = toText(columnToMatchOn, toText(key));
  const all = keys.length > 0 ? keys : old === "" ? [] : [old];
  if (all.length === 0) throw new NotConvertible("does not say which column identifies a row");
  if (all.some((one) => one.startsWith("=")))
    throw new NotConvertible("names the column by expression");
  return all;
}

/** Steps that write rows: they are grouped by their sheet, and what is there is read once for each. */
function writeSheet(ctx: NodeContext, plan: string, isWhole: boolean): ConvertedNode {
  const { id, node } = ctx;
  const { parameters } = node;
  const { code, notes } = sheetOf(parameters);
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
  const row = `{ spreadsheetId: ${documentCode(parameters)}, sheet: n8n.text(${code}), row: ${rowCode(ctx)} }`;
  const steps: Node[] = [
    eachScript(ctx, `${id}_args`, row, parameters),
    scriptStep(
      ctx,
      `${id}_sheets`,
      `const sheets = Map.groupBy(input.steps.${id}_args.output, ({ spreadsheetId, sheet }) => JSON.stringify([spreadsheetId, sheet]));
return [...sheets.values()].map((all) => ({ spreadsheetId: all[0].spreadsheetId, range: n8n.sheetRange(all[0].sheet${isWhole ? "" : ', "1:1"'}), rows: all.map(({ row }) => row) }));`,
    ),
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

const removeRows: Convert = (ctx) => {
  const { parameters } = ctx.node;
  const { toDelete = "rows", startIndex, numberToDelete = 1 } = parameters;
  if (toDelete !== "rows") throw new NotConvertible("deletes columns");
  const { code, notes } = sheetOf(parameters);
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
          inputs:
            "[{ spreadsheetId: asked.spreadsheetId, sheetId: (one.items.find(({ properties }) => properties.title === asked.sheet) ?? one.items[0]).properties.sheetId, startIndex: asked.start - 1, endIndex: asked.start - 1 + asked.count }]",
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
  return withNotes(
    callForEach(ctx, toServiceCall(service, "googleSheets", { operation: "delete" })),
    notes,
  );
};

const clearSheet: Convert = (ctx) => {
  const { parameters } = ctx.node;
  const {
    clear = "wholeSheet",
    range = "",
    startIndex = 1,
    rowsToDelete = 1,
    keepFirstRow,
  } = parameters;
  const { code, notes } = sheetOf({ ...parameters, range: undefined });
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
  return withNotes(
    callForEach(ctx, toServiceCall(service, "googleSheets", { operation: "clear" })),
    notes,
  );
};

const OTHERS: Service = {
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
      return readSheet(ctx);
    case "append":
      return writeSheet(ctx, "n8n.sheetAppend(values, rows)", false);
    case "appendOrUpdate":
    case "upsert":
    case "update": {
      const keys = JSON.stringify(matchOf(ctx));
      return writeSheet(
        ctx,
        `n8n.sheetUpdate(values, rows, ${keys}${operation === "update" ? "" : ", { append: true }"})`,
        true,
      );
    }
    case "delete":
      return removeRows(ctx);
    case "clear":
      return clearSheet(ctx);
    case "create":
      return callForEach(ctx, toServiceCall(OTHERS, "googleSheets", parameters));
    default:
      throw new NotConvertible(`needs googleSheets ${toText(operation)}`);
  }
};
