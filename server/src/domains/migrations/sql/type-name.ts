import type { TypeName } from "libpg-query";
import { textsOf } from "#domains/queries/index.ts";
import type { ColumnTypeName } from "#domains/tables/index.ts";
import { parseNumber, rejectSql } from "./sql-error.ts";

/** A type of column with its options. */
export interface ParsedType {
  readonly type: ColumnTypeName;
  readonly options: Readonly<Record<string, unknown>>;
}

const TYPES: ReadonlyMap<string, ColumnTypeName> = new Map([
  ["text", "text"],
  ["varchar", "text"],
  ["bpchar", "text"],
  ["uuid", "text"],
  ["int2", "integer"],
  ["int4", "integer"],
  ["int8", "integer"],
  ["serial", "autonumber"],
  ["serial2", "autonumber"],
  ["serial4", "autonumber"],
  ["serial8", "autonumber"],
  ["bigserial", "autonumber"],
  ["smallserial", "autonumber"],
  ["numeric", "decimal"],
  ["float4", "decimal"],
  ["float8", "decimal"],
  ["bool", "boolean"],
  ["date", "date"],
  ["timestamp", "timestamp"],
  ["timestamptz", "timestamp"],
  ["json", "json"],
  ["jsonb", "json"],
]);

const UUID_CHARACTERS = 36;

/** The column type for an SQL type. */
export function toColumnType(typeName: TypeName | undefined): ParsedType {
  if (!typeName) rejectSql("a column must have a type");
  const { name, lengths } = parseTypeName(typeName);
  if (typeName.arrayBounds !== undefined) {
    rejectSql(
      "array columns are not available. Use jsonb, or the type multi_enum in a step",
      typeName,
    );
  }
  const type = TYPES.get(name);
  if (type === undefined || typeName.setof || typeName.pct_type) {
    rejectSql(`the column type ${name} is not available`, typeName);
  }
  return { type, options: toOptions(name, lengths) };
}

/** The name of a type without its schema, and the numbers in its parentheses. */
export function parseTypeName(typeName: TypeName): { name: string; lengths: readonly number[] } {
  const names = textsOf(typeName.names);
  const [schema, qualified] = names;
  const name = qualified ?? schema ?? "";
  if (names.length > 2 || (qualified !== undefined && schema !== "pg_catalog")) {
    rejectSql(`there is no column of the type ${names.join(".")}`, typeName);
  }
  const lengths = (typeName.typmods ?? []).map((length) => {
    const number = parseNumber(length);
    if (number === undefined) rejectSql("the length of a type must be a number", typeName);
    return number;
  });
  return { name, lengths };
}

function toOptions(name: string, [first, second]: readonly number[]): Record<string, unknown> {
  if (name === "uuid") return { maxLength: UUID_CHARACTERS };
  if (name === "varchar" || name === "bpchar")
    return first === undefined ? {} : { maxLength: first };
  // A numeric(p) has no decimal places.
  if (name === "numeric" && first !== undefined) return { scale: second ?? 0 };
  return {};
}
