import { DocumentError, type WriteOptions } from "../work/task.ts";

export type Row = readonly unknown[];

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

const COLUMNS_MAX = 500;

/** Converts a list of objects or lists to rows. The columns are the named ones, or all fields of the objects. */
export function toTable(data: unknown, { columns }: WriteOptions): Table {
  const list = Array.isArray(data) ? data : [data];
  if (list.every((one) => Array.isArray(one))) return { columns: columns ?? [], rows: list };
  const isRow = (one: unknown): one is object =>
    typeof one === "object" && one !== null && !Array.isArray(one);
  const wrong = list.findIndex((one) => !isRow(one));
  if (wrong !== -1)
    throw new DocumentError(`/data/${wrong} must be an object, or all must be lists.`);
  const names = columns ?? [...new Set(list.flatMap((one: object) => Object.keys(one)))];
  if (names.length > COLUMNS_MAX)
    throw new DocumentError(`The data has more than ${COLUMNS_MAX} columns.`);
  return {
    columns: names,
    rows: list.map((one: Readonly<Record<string, unknown>>) => names.map((name) => one[name])),
  };
}
