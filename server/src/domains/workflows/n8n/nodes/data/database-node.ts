/** Database nodes: each item is one statement with its values as parameters. */
import { toCode } from "../../code-text.ts";
import {
  assertSupported,
  type Convert,
  type ConvertedNode,
  type NodeContext,
  NotConvertible,
  outsideSteps,
  withReturn,
} from "../../conversion.ts";
import { type Json, type JsonObject, toList, toObject, toText } from "../../n8n-workflow.ts";
import { columns } from "../../services/functions/rows.ts";
import { ParameterReader } from "../../services/service-table.ts";
import { flattenCode } from "../outside-nodes.ts";

export type Dialect = "postgres" | "mysql";

/** A node, and the function that requests choices. */
type Statement = Pick<NodeContext, "node" | "bind">;

/** The value of a selection. */
function chosen(value: Json): Json {
  const { value: inner, __rl } = toObject(value);
  return __rl === true ? inner : value;
}

function conditionsCode(parameters: JsonObject): string {
  const all = toList(toObject(parameters["where"])["values"]).map((one) => {
    const { column = "", condition = "equal", value = "" } = toObject(one);
    return `{ column: ${toCode(column)}, condition: ${toCode(condition)}, value: ${toCode(value)} }`;
  });
  return `conditions: [${all.join(", ")}], any: ${parameters["combineConditions"] === "OR"}`;
}

function tableCode(parameters: JsonObject): string {
  const table = chosen(parameters["table"]);
  if (table === undefined || table === "") throw new NotConvertible("has no table");
  return `schema: ${toCode(chosen(parameters["schema"]) ?? "public")}, table: ${toCode(table)}`;
}

/** The row written by a node, for all node versions. */
function rowCode({ node: { parameters, version } }: Pick<NodeContext, "node">): string {
  if (parameters["columns"] !== undefined && typeof parameters["columns"] === "object")
    return columns(new ParameterReader(parameters));
  if (version < 2) {
    const names = `n8n.list(${toCode(parameters["columns"] ?? "")})`;
    return `((names) => names.length === 0 ? $json : Object.fromEntries(names.map((name) => [name.split(":")[0], $json[name.split(":")[0]]])))(${names})`;
  }
  if ((parameters["dataMode"] ?? "autoMapInputData") === "autoMapInputData") return "$json";
  const pairs = toList(toObject(parameters["valuesToSend"])["values"]).map((one) => {
    const { column = "", value = "" } = toObject(one);
    return `[${toCode(column)}]: ${toCode(value)}`;
  });
  const { columnToMatchOn, valueToMatchOn } = parameters;
  const match =
    columnToMatchOn === undefined || valueToMatchOn === undefined
      ? []
      : [`[${toCode(columnToMatchOn)}]: ${toCode(valueToMatchOn)}`];
  return `{ ${[...match, ...pairs].join(", ")} }`;
}

/** The columns that identify a row. */
function keysCode({ node: { name, parameters, version }, bind }: Statement): string {
  const matched = toList(toObject(parameters["columns"])["matchingColumns"]);
  if (matched.length > 0) return toCode(matched);
  const { columnToMatchOn, updateKey } = parameters;
  const named = version < 2 ? (updateKey ?? "id") : columnToMatchOn;
  if (named !== undefined && named !== "") return `n8n.list(${toCode(named)})`;
  // n8n requires the column, too.
  const asked = bind("text", `column ${name}`, `${name}: the column that identifies a row`);
  if (asked === "") throw new NotConvertible("has no column that identifies a row");
  return JSON.stringify([asked]);
}

/** A parameter such as `$1`. The pg-promise form `$1:name` is handled separately. */
function queryCode(
  { query = "", options, additionalFields }: JsonObject,
  dialect: Dialect,
): string {
  const text = toText(query);
  if (text === "" || text === "=") throw new NotConvertible("has no statement");
  if (/\$\d+:(?:name|csv|raw|value|json|list|alias)|\$\d+[~#^]/.test(text))
    throw new NotConvertible("inserts names into a statement with the driver of n8n");
  const plain = text.replaceAll(/\{\{[\s\S]*?\}\}|--[^\n]*|'[^']*'|\$\$[\s\S]*?\$\$/g, "");
  const isSeveral = /;\s*\S/.test(plain);
  const given = toObject(options)["queryReplacement"] ?? toObject(additionalFields)["queryParams"];
  const values = given === undefined || given === "" ? "undefined" : toCode(given);
  if (isSeveral && values !== "undefined")
    throw new NotConvertible("has several statements with parameters");
  if (isSeveral)
    return `n8n.sqlStatements(${toCode(query)}).map((one) => n8n.sqlQuery(${JSON.stringify(dialect)}, one))`;
  return `n8n.sqlQuery(${JSON.stringify(dialect)}, ${toCode(query)}, ${values})`;
}

/** Code of the statement of a node. */
function writeStatement(ctx: Statement, dialect: Dialect): string {
  const { parameters } = ctx.node;
  const { operation = "insert" } = parameters;
  const options = toObject(parameters["options"]);
  const d = JSON.stringify(dialect);
  switch (operation) {
    case "executeQuery":
      return queryCode(parameters, dialect);
    case "select": {
      const sort = toList(toObject(parameters["sort"])["values"]).map(toObject);
      const limit =
        parameters["returnAll"] === true ? "" : `, limit: ${toCode(parameters["limit"] ?? 50)}`;
      const names = toCode(options["outputColumns"] ?? []);
      return `n8n.sqlSelect(${d}, { ${tableCode(parameters)}, columns: n8n.list(${names}), ${conditionsCode(parameters)}, sort: ${toCode(sort)}${limit} })`;
    }
    case "insert":
      return `n8n.sqlInsert(${d}, { ${tableCode(parameters)}, row: ${rowCode(ctx)}, skip: ${options["skipOnConflict"] === true} })`;
    case "upsert":
      return `n8n.sqlInsert(${d}, { ${tableCode(parameters)}, row: ${rowCode(ctx)}, keys: ${keysCode(ctx)} })`;
    case "update":
      return `n8n.sqlUpdate(${d}, { ${tableCode(parameters)}, row: ${rowCode(ctx)}, keys: ${keysCode(ctx)} })`;
    case "deleteTable":
      return `n8n.sqlDelete(${d}, { ${tableCode(parameters)}, command: ${toCode(parameters["deleteCommand"] ?? "truncate")}, ${conditionsCode(parameters)}, restart: ${parameters["restartSequences"] === true}, cascade: ${options["cascade"] === true} })`;
    default:
      throw new NotConvertible(
        `uses the unsupported database operation ${JSON.stringify(operation)}`,
      );
  }
}

/** The statement code for an item, and the code that converts its result to items. */
export function describeStatement(
  ctx: Statement,
  dialect: Dialect,
): { readonly args: string; readonly items: string } {
  assertSupported(ctx.node.parameters);
  const args = writeStatement(ctx, dialect);
  const { operation } = ctx.node.parameters;
  const items =
    operation === "select"
      ? "one.rows"
      : "(one.rows.length > 0 || /^\\s*(?:select|with|show|table|values)\\b/i.test(asked.sql) ? one.rows : [{ success: true }])";
  return { args, items };
}

const WRITTEN_BY_DATA =
  "expressions are inserted into the SQL as text, like in n8n. This allows SQL injection. Use query parameters instead";

/**
 * True for a statement whose text contains expressions: parameters would have another meaning within quotes or as a
 * name.
 */
function isWrittenByData({ operation, query }: JsonObject): boolean {
  return operation === "executeQuery" && /^=[\s\S]*\{\{/.test(toText(query));
}

const REMOVES = "drops or empties a table: check it before you run it";

/** True for a statement that removes all rows or tables. */
function removesTables({ operation, query, deleteCommand = "truncate" }: JsonObject): boolean {
  return operation === "executeQuery"
    ? /\b(?:drop|truncate)\b/i.test(toText(query))
    : operation === "deleteTable" && deleteCommand !== "delete";
}

const TITLES = { postgres: "PostgreSQL", mysql: "MySQL" } as const;

function databaseNode(ctx: NodeContext, dialect: Dialect): ConvertedNode {
  const { args, items } = describeStatement(ctx, dialect);
  const connectorId = ctx.bind("connector", dialect, `${TITLES[dialect]} (a database)`);
  const { operation } = ctx.node.parameters;
  const action = operation === "select" ? "query" : "execute";
  const called = outsideSteps(
    ctx,
    {
      args,
      step: { type: "connector", config: { connectorId, action, input: "{{ item }}" } },
      flatten: flattenCode(ctx, items),
    },
    ctx.node.parameters,
  );
  const isSeveral = args.startsWith("n8n.sqlStatements(");
  // Each statement is a separate call.
  const steps = called.steps.map((step) =>
    isSeveral && step.id === `${ctx.id}_args`
      ? withReturn(step, (value) => `return (${value}).flat();`)
      : step,
  );
  const made = { ...called, steps };
  const batching = toObject(ctx.node.parameters["options"])["queryBatching"];
  return {
    ...made,
    approximations: [
      ...(made.approximations ?? []),
      ...(batching === "transaction" || isSeveral
        ? ["each statement runs in its own transaction"]
        : []),
      ...(isWrittenByData(ctx.node.parameters) ? [WRITTEN_BY_DATA] : []),
      ...(removesTables(ctx.node.parameters) ? [REMOVES] : []),
    ],
  };
}

export const postgres: Convert = (ctx) => databaseNode(ctx, "postgres");
export const mySql: Convert = (ctx) => databaseNode(ctx, "mysql");
