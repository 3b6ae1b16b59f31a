import type { Node, RangeVar } from "libpg-query";
import { textOf } from "#domains/queries/index.ts";

/** SQL that cannot be translated; `byte` is its position in the script, if known. */
export class UnsupportedSql extends Error {
  readonly byte: number | undefined;

  constructor(message: string, byte: number | undefined) {
    super(message);
    this.name = "UnsupportedSql";
    this.byte = byte;
  }
}

/** Throws an error at a node. */
export function rejectSql(message: string, at?: { readonly location?: number }): never {
  throw new UnsupportedSql(message, at?.location);
}

/** Rejects a node that has one of these fields, and names it in SQL terms. */
export function rejectSqlIf<T extends { readonly location?: number }>(
  node: T,
  fields: Readonly<Partial<Record<keyof T, string>>>,
  at: { readonly location?: number } = node,
): void {
  for (const field of Object.keys(fields) as (keyof T)[]) {
    const value = node[field];
    const isSet = Array.isArray(value) ? value.length > 0 : Boolean(value);
    if (isSet) rejectSql(`${fields[field]} is not available`, at);
  }
}

/** The slug of the table that a node names. */
export function tableSlug(relation: RangeVar | undefined): string {
  if (!relation) rejectSql("the name of the table is missing");
  const { schemaname, catalogname, relpersistence } = relation;
  if (schemaname !== undefined || catalogname !== undefined) {
    rejectSql("the name of a table must not have a schema", relation);
  }
  if (relpersistence !== "p")
    rejectSql("temporary and unlogged tables are not available", relation);
  return textOf(relation.relname);
}

/** The only name of a list. */
export function singleName(names: readonly string[], at?: { readonly location?: number }): string {
  const [name, ...others] = names;
  if (name === undefined || others.length > 0) rejectSql("names must not have a schema", at);
  return name;
}

/** Parses a number; undefined for any other node. The parser omits a zero. */
export function parseNumber(node: Node | undefined): number | undefined {
  if (!node || !("A_Const" in node)) return undefined;
  const { ival, fval } = node.A_Const;
  if (ival) return ival.ival ?? 0;
  return fval?.fval === undefined ? undefined : Number(fval.fval);
}
