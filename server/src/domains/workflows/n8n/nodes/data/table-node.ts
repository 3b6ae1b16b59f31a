/** n8n data tables become tables: rows are records. */
import type { Node } from "../../../definition/index.ts";
import { toCode } from "../../code-text.ts";
import {
  assertSupported,
  type Convert,
  type ConvertedNode,
  eachScript,
  findApproximations,
  type NodeContext,
  NotConvertible,
  outsideSteps,
  scriptStep,
} from "../../conversion.ts";
import { type JsonObject, toList, toObject, toText } from "../../n8n-workflow.ts";
import { columns } from "../../services/functions/rows.ts";
import { ParameterReader } from "../../services/service-table.ts";
import { flattenCode } from "../outside-nodes.ts";

const ROWS_DEFAULT = 50;

function tableOf(ctx: NodeContext): string {
  const { value, cachedResultName, __rl } = toObject(ctx.node.parameters["dataTableId"]);
  const key = toText(__rl === true ? value : ctx.node.parameters["dataTableId"]);
  if (key.startsWith("=")) throw new NotConvertible("uses an expression for the table");
  const title = toText(cachedResultName, key === "" ? "A data table" : key);
  return ctx.bind("table", key === "" ? ctx.node.name : key, title);
}

/** The condition of a node as code; undefined without a condition. */
function filterCode({ filters, matchType = "anyCondition" }: JsonObject): string {
  const all = toList(toObject(filters)["conditions"]).map((one) => {
    const { keyName = "id", condition = "eq", keyValue = "" } = toObject(one);
    if (condition === "ilike") throw new NotConvertible("compares without case sensitivity");
    return `{ column: ${toCode(keyName)}, condition: ${toCode(condition)}, value: ${toCode(keyValue)} }`;
  });
  return `n8n.tableFilter([${all.join(", ")}], ${matchType === "anyCondition"})`;
}

const rowCode = (parameters: JsonObject): string =>
  `(({ id, createdAt, updatedAt, $binary, ...row }) => row)(${columns(new ParameterReader(parameters))})`;

function withNotes(made: ConvertedNode): ConvertedNode {
  return {
    ...made,
    approximations: [
      ...(made.approximations ?? []),
      "rows are records of a table with string ids, and conditions compare values of the column type",
    ],
  };
}

/** Lists the records that match each item, and returns the result of `then`. */
function findSteps(
  ctx: NodeContext,
  table: string,
  { row, limit }: { readonly row?: string; readonly limit?: number },
): Node[] {
  const { id, node } = ctx;
  const { parameters } = node;
  const args = `{ item: $item, filter: ${filterCode(parameters)}${row === undefined ? "" : `, row: ${row}`} }`;
  return [
    eachScript(ctx, `${id}_args`, args, parameters),
    {
      id: `${id}_found`,
      type: "records",
      name: node.name.slice(0, 200),
      config: {
        operation: "list",
        table,
        filter: "{{ item.filter }}",
        ...(limit === undefined ? { all: true } : { limit }),
      },
      forEach: { items: `{{ steps.${id}_args.output }}` },
    },
  ];
}

/** A step that runs for each record selected by a script. */
function eachRecord(
  { id, node }: NodeContext,
  name: string,
  { from, ...config }: JsonObject & { readonly from: string },
): Node {
  return {
    id: `${id}_${name}`,
    type: "records",
    name: node.name.slice(0, 200),
    config,
    forEach: { items: `{{ steps.${id}_${from} }}` },
  };
}

const getRows: Convert = (ctx) => {
  const { parameters } = ctx.node;
  const { returnAll, limit = ROWS_DEFAULT, orderBy, orderByColumn, orderByDirection } = parameters;
  if (returnAll !== true && typeof limit !== "number")
    throw new NotConvertible("uses an expression for the limit");
  const column = toText(orderByColumn, "createdAt");
  if (column.startsWith("=")) throw new NotConvertible("uses an expression for the sort order");
  const step = {
    type: "records",
    config: {
      operation: "list",
      table: tableOf(ctx),
      filter: "{{ item.filter }}",
      ...(returnAll === true ? { all: true } : { limit }),
      ...(orderBy === true && { sort: `${orderByDirection === "ASC" ? "" : "-"}${column}` }),
    },
  };
  const args = `{ filter: ${filterCode(parameters)} }`;
  return withNotes(outsideSteps(ctx, { args, step, flatten: flattenCode(ctx, "one") }, parameters));
};

const insertRows: Convert = (ctx) => {
  const { parameters } = ctx.node;
  const config = { operation: "create", table: tableOf(ctx), data: "{{ item }}" };
  const step = { type: "records", config };
  return withNotes(
    outsideSteps(
      ctx,
      { args: rowCode(parameters), step, flatten: flattenCode(ctx, "[one]") },
      parameters,
    ),
  );
};

/** Updates all matching rows. An upsert creates a row if none matches. */
const changeRows: Convert = (ctx) => {
  const { id, node } = ctx;
  const table = tableOf(ctx);
  const isUpsert = node.parameters["operation"] === "upsert";
  const steps: Node[] = [
    ...findSteps(ctx, table, { row: rowCode(node.parameters) }),
    scriptStep(
      ctx,
      `${id}_plan`,
      `const found = input.steps.${id}_args.output.map(({ row }, at) => ({ row, records: input.steps.${id}_found.output[at] ?? [] }));
return { updates: found.flatMap(({ row, records }) => records.map((one) => ({ id: one.id, row }))), creates: found.filter(({ records }) => records.length === 0).map(({ row }) => row) };`,
    ),
    eachRecord(ctx, "update", {
      from: "plan.output.updates",
      operation: "update",
      table,
      id: "{{ item.id }}",
      data: "{{ item.row }}",
    }),
    ...(isUpsert
      ? [
          eachRecord(ctx, "create", {
            from: "plan.output.creates",
            operation: "create",
            table,
            data: "{{ item }}",
          }),
        ]
      : []),
    scriptStep(
      ctx,
      id,
      `return [...input.steps.${id}_update.output${isUpsert ? `, ...input.steps.${id}_create.output` : ""}];`,
    ),
  ];
  return withNotes({ steps, approximations: findApproximations(ctx, node.parameters) });
};

const deleteRows: Convert = (ctx) => {
  const { id, node } = ctx;
  const table = tableOf(ctx);
  const steps: Node[] = [
    ...findSteps(ctx, table, {}),
    scriptStep(
      ctx,
      `${id}_rows`,
      `return [...new Map(input.steps.${id}_found.output.flat().map((one) => [one.id, one])).values()];`,
    ),
    eachRecord(ctx, "delete", {
      from: "rows.output",
      operation: "delete",
      table,
      id: "{{ item.id }}",
    }),
    scriptStep(ctx, id, `return input.steps.${id}_rows.output;`),
  ];
  return withNotes({ steps, approximations: findApproximations(ctx, node.parameters) });
};

/** Passes items with or without a matching row. */
const testRows: Convert = (ctx) => {
  const { id, node } = ctx;
  const exists = node.parameters["operation"] === "rowExists";
  const steps: Node[] = [
    ...findSteps(ctx, tableOf(ctx), { limit: 1 }),
    scriptStep(
      ctx,
      id,
      `return input.steps.${id}_args.output.filter((_, at) => (input.steps.${id}_found.output[at] ?? []).length ${exists ? "> 0" : "=== 0"}).map(({ item }) => item);`,
    ),
  ];
  return withNotes({ steps, approximations: findApproximations(ctx, node.parameters) });
};

const ROW_OPERATIONS: Readonly<Record<string, Convert>> = {
  insert: insertRows,
  get: getRows,
  update: changeRows,
  upsert: changeRows,
  deleteRows,
  rowExists: testRows,
  rowNotExists: testRows,
};

export const dataTable: Convert = (ctx) => {
  const { resource = "row", operation = "insert" } = ctx.node.parameters;
  assertSupported(ctx.node.parameters);
  const name = toText(operation);
  const convert =
    resource === "row" && Object.hasOwn(ROW_OPERATIONS, name) ? ROW_OPERATIONS[name] : undefined;
  if (!convert) throw new NotConvertible(`uses the unsupported data table operation ${name}`);
  return convert(ctx);
};
