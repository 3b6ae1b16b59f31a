import pg from "pg";
import type { Principal } from "#kernel/access/caller.ts";
import type { Column } from "../table.ts";
import { columnTypeOf } from "./registry.ts";
import type { Json } from "./column-type.ts";
import { refersToUsers } from "./reference.ts";

/** The time or day when a record is created. */
const NOW = "$now";
/** The user who creates a record. */
const USER = "$user";

/** True for a default that is computed for each record. */
export function isComputedDefault(column: Pick<Column, "type" | "options" | "default">): boolean {
  if (column.type === "date" || column.type === "timestamp") return column.default === NOW;
  return column.default === USER && refersToUsers(column);
}

/** Returns the value for an omitted column: the default, or null. */
export function resolveDefault(
  column: Column,
  { now, principal }: { readonly now: Date; readonly principal: Principal | undefined },
): Json {
  if (!isComputedDefault(column)) return column.default as Json;
  if (column.default === USER) return principal?.id ?? null;
  const time = now.toISOString();
  return column.type === "date" ? time.slice(0, "YYYY-MM-DD".length) : time;
}

/** Returns the default as SQL, or undefined. */
export function defaultSql(column: Column): string | undefined {
  if (column.default === null) return undefined;
  if (!isComputedDefault(column)) return toLiteral(column, column.default as Json);
  // SQL knows of no user.
  if (column.default === USER) return undefined;
  return column.type === "date" ? "(now() at time zone 'UTC')::date" : "now()";
}

/** A canonical value of the column as an SQL literal. */
export function toLiteral(column: Pick<Column, "type">, value: Json): string {
  const { store, parameterType } = columnTypeOf(column);
  const stored = store(value);
  if (Array.isArray(stored)) {
    const members = stored.map((member) => pg.escapeLiteral(String(member)));
    return `array[${members.join(", ")}]::${parameterType}`;
  }
  return `${pg.escapeLiteral(String(stored))}::${parameterType}`;
}
