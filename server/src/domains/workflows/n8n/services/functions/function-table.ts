/** Functions used by rows. They generate code for fields that rows cannot describe. */
import { type JsonObject, toText } from "../../n8n-workflow.ts";
import type { ParameterReader } from "../service-table.ts";
import { customerFunctions } from "./customers.ts";
import { googleFunctions } from "./google.ts";
import { messageFunctions } from "./messages.ts";
import { notionFunctions } from "./notion.ts";
import { airtableOperation, rowFunctions } from "./rows.ts";
import type { SourceFunction, SourceFunctions } from "./source-function.ts";
import { ticketFunctions } from "./tickets.ts";
import { webFunctions } from "./web.ts";

/** The number of items to return, up to a maximum. */
const limit = (read: ParameterReader, usual: number, max = Infinity): string =>
  String(Math.min(Number(read.raw("limit") ?? usual), max));

/** A literal number of the node, or the default. */
const number = (read: ParameterReader, path: string, usual: number): string => {
  const value = read.raw(path);
  return String(typeof value === "number" ? value : usual);
};

/** A literal text of the node, or the default. */
const literal = (read: ParameterReader, path: string, usual: string): string =>
  JSON.stringify(toText(read.raw(path), usual));

const FUNCTIONS: SourceFunctions = {
  limit,
  number,
  literal,
  ...rowFunctions,
  ...notionFunctions,
  ...googleFunctions,
  ...messageFunctions,
  ...customerFunctions,
  ...ticketFunctions,
  ...webFunctions,
};

/** Used by the test that every function is named by a row. */
export const FUNCTION_NAMES = Object.keys(FUNCTIONS);

/** Renamed operations, derived from parameters. */
const RENAMES: Readonly<Record<string, (parameters: JsonObject) => string | undefined>> = {
  airtableOperation,
  // A node with a template always sends it, ignoring the operation name.
  whatsAppOperation: ({ template }) => (template === undefined ? undefined : "sendTemplate"),
};

export function findFunction(name: string): SourceFunction {
  return findIn(FUNCTIONS, name);
}

export function findRename(name: string): (parameters: JsonObject) => string | undefined {
  return findIn(RENAMES, name);
}

function findIn<T>(table: Readonly<Record<string, T>>, name: string): T {
  const found = Object.hasOwn(table, name) ? table[name] : undefined;
  if (found === undefined)
    throw new Error(`No function of the rows of services is called ${name}.`);
  return found;
}
