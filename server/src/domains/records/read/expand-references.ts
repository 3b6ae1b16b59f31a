/** References shown as what they refer to. */
import { findMemberNames } from "#domains/identity/accounts/index.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { targetOf, refersToUsers } from "#domains/tables/columns/reference.ts";
import { lookupTable } from "#domains/tables/schema/table-cache.ts";
import type { ColumnSchema, TableSchema } from "#domains/tables/schema/table-schema.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { parseRecordQuery } from "./record-query.ts";
import { type VisibleColumns, toRecord } from "../record.ts";
import { recordGrants } from "../record-access.ts";

const EXPANDED_MAX = 10;

/** Reads `customer,owner`: columns that refer to something. */
export function parseExpand(
  table: TableSchema,
  expand: string | undefined,
): readonly ColumnSchema[] {
  if (expand === undefined) return [];
  const names = [...new Set(expand.split(",").map((name) => name.trim()))];
  if (names.length > EXPANDED_MAX) {
    throw invalidField("?expand", `must name at most ${EXPANDED_MAX} fields`);
  }
  return names.map((name) => {
    const column = table.byName.get(name);
    if (column?.type !== "reference") {
      throw invalidField("?expand", `names "${name}", which is not a reference of this table`);
    }
    return column;
  });
}

/**
 * The records with what they refer to in the place of its id. Whoever may not see that sees null; of a
 * person who left, no more than the id.
 */
export async function expandReferences(
  ctx: ReadContext,
  columns: readonly ColumnSchema[],
  records: readonly VisibleColumns[],
): Promise<readonly VisibleColumns[]> {
  if (columns.length === 0) return records;
  const found = await Promise.all(
    columns.map(async (column) => {
      const ids = new Set(records.map((record) => record[column.name]));
      const known = [...ids].filter((id) => typeof id === "string");
      return { column, things: known.length === 0 ? NOTHING : await find(ctx, column, known) };
    }),
  );
  return records.map((record) => {
    const shown: Record<string, unknown> = { ...record };
    for (const { column, things } of found) {
      const id = record[column.name];
      if (typeof id !== "string") continue;
      shown[column.name] = things.get(id) ?? (refersToUsers(column) ? nobody(id) : null);
    }
    return shown;
  });
}

const NOTHING: ReadonlyMap<unknown, object> = new Map();

function nobody(id: string): object {
  return { id, name: null, email: null };
}

async function find(
  ctx: ReadContext,
  column: ColumnSchema,
  ids: readonly string[],
): Promise<ReadonlyMap<unknown, object>> {
  const target = targetOf(column);
  if (target === undefined) {
    const people = await findMemberNames(ctx.tx, ids);
    return new Map(people.map((person) => [person.id, person]));
  }
  const table = await lookupTable(ctx, target);
  if (!table) return NOTHING;
  const { select, where, parameters } = parseRecordQuery(
    table,
    recordGrants(table, "read", ctx.caller),
    {},
  );
  const place = parameters.add(ids, "text[]");
  const seen = where === undefined ? "" : ` and ${where}`;
  const text = `select ${select} from ${table.view} where id = any(${place})${seen}`;
  const rows = await queryRows(ctx.tx, text, parameters.values);
  return new Map(rows.map((row) => [row["id"], toRecord(table, row)]));
}
