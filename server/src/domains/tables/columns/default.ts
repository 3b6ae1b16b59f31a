import pg from "pg";
import type { Principal } from "#kernel/access/caller.ts";
import type { Column } from "../table.ts";
import { columnTypeOf } from "./registry.ts";
import type { Json } from "./column-type.ts";
import { refersToUsers } from "./reference.ts";

/** The moment or day in which a record is made. */
const NOW = "$now";
/** Whoever makes a record. */
const USER = "$user";

/** Whether a default is found anew for each record. */
export function isComputedDefault(column: Pick<Column, "type" | "options" | "default">): boolean {
  if (column.type === "date" || column.type === "timestamp") return column.default === NOW;
  return column.default === USER && refersToUsers(column);
}

/** What a new record has in a column of which nothing is said; null when there is no default. */
export function resolveDefault(
  column: Column,
  { now, person }: { readonly now: Date; readonly person: Principal | undefined },
): Json {
  if (!isComputedDefault(column)) return column.default as Json;
  if (column.default === USER) return person?.id ?? null;
  const time = now.toISOString();
  return column.type === "date" ? time.slice(0, "YYYY-MM-DD".length) : time;
}

/** The default as SQL, for the column itself; undefined when there is none. */
export function defaultSql(column: Column): string | undefined {
  if (column.default === null) return undefined;
  if (!isComputedDefault(column)) return toLiteral(column, column.default as Json);
  // SQL knows of no person.
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
