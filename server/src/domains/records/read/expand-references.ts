/** References shown as what they refer to. */
import { namesOfMembers } from "#domains/identity/accounts/index.ts";
import { invalid } from "#kernel/operation/failure.ts";
import type { ReadContext } from "#kernel/operation/operation.ts";
import { targetOf, toUsers } from "#domains/tables/columns/reference.ts";
import { maybeTableOf } from "#domains/tables/table-cache.ts";
import type { KnownColumn, KnownTable } from "#domains/tables/table-schema.ts";
import { rowsOf } from "#kernel/db/statement.ts";
import { ask } from "./record-query.ts";
import { type Shown, toRecord } from "../record.ts";
import { grantsFor } from "../record-access.ts";

const EXPANDED_MAX = 10;

/** Reads `customer,owner`: columns that refer to something. */
export function readExpand(table: KnownTable, expand: string | undefined): readonly KnownColumn[] {
  if (expand === undefined) return [];
  const names = [...new Set(expand.split(",").map((name) => name.trim()))];
  if (names.length > EXPANDED_MAX) {
    throw invalid("?expand", `must name at most ${EXPANDED_MAX} fields`);
  }
  return names.map((name) => {
    const column = table.byName.get(name);
    if (column?.type !== "reference") {
      throw invalid("?expand", `names "${name}", which is not a reference of this table`);
    }
    return column;
  });
}

/**
 * The records with what they refer to in the place of its id. Whoever may not see that sees null; of a
 * person who left, no more than the id.
 */
export async function expanded(
  ctx: ReadContext,
  columns: readonly KnownColumn[],
  records: readonly Shown[],
): Promise<readonly Shown[]> {
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
      shown[column.name] = things.get(id) ?? (toUsers(column) ? nobody(id) : null);
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
  column: KnownColumn,
  ids: readonly string[],
): Promise<ReadonlyMap<unknown, object>> {
  const target = targetOf(column);
  if (target === undefined) {
    const people = await namesOfMembers(ctx.tx, ids);
    return new Map(people.map((person) => [person.id, person]));
  }
  const table = await maybeTableOf(ctx, target);
  if (!table) return NOTHING;
  const { select, where, parameters } = ask(table, grantsFor(table, "read", ctx.caller), {});
  const place = parameters.add(ids, "text[]");
  const seen = where === undefined ? "" : ` and ${where}`;
  const text = `select ${select} from ${table.view} where id = any(${place})${seen}`;
  const rows = await rowsOf(ctx.tx, text, parameters.values);
  return new Map(rows.map((row) => [row["id"], toRecord(table, row)]));
}
