/** References shown as the record or user that they refer to. */
import { findMemberNames } from "#domains/identity/accounts/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { ColumnSchema, OpenTable, TableSchema } from "#domains/tables/index.ts";
import type { RecordResponse } from "../record.ts";
import { parseRecordQuery, toQueriedRecord } from "./record-query.ts";

const EXPANDED_FIELDS_MAX = 10;

/** Parses `customer,owner`: names of references. */
export function parseExpand(
  schema: TableSchema,
  expand: string | undefined,
): readonly ColumnSchema[] {
  if (expand === undefined) return [];
  const names = [...new Set(expand.split(",").map((name) => name.trim()))];
  if (names.length > EXPANDED_FIELDS_MAX) {
    throw invalidField("?expand", `must name at most ${EXPANDED_FIELDS_MAX} fields`);
  }
  return names.map((name) => {
    const column = schema.byName.get(name);
    if (column?.target === undefined && !column?.refersToUsers) {
      throw invalidField("?expand", `names "${name}", which is not a reference of this table`);
    }
    return column;
  });
}

/**
 * The records with what they refer to in the place of its id. A reference to a record that is hidden
 * from the caller is null; of a user who left, only the id is shown.
 */
export async function expandReferences(
  tx: Tx,
  table: OpenTable,
  columns: readonly ColumnSchema[],
  records: readonly RecordResponse[],
): Promise<readonly RecordResponse[]> {
  if (columns.length === 0) return records;
  const expansions = await Promise.all(
    columns.map(async (column) => {
      const values = new Set(records.map((record) => record[column.name]));
      const ids = [...values].filter((id) => typeof id === "string");
      const targets = ids.length === 0 ? NO_TARGETS : await findTargets(tx, table, column, ids);
      return { column, targets };
    }),
  );
  return records.map((record) => {
    const expanded: Record<string, unknown> = { ...record };
    for (const { column, targets } of expansions) {
      const id = record[column.name];
      if (typeof id !== "string") continue;
      expanded[column.name] = targets.get(id) ?? (column.refersToUsers ? formerUser(id) : null);
    }
    return expanded;
  });
}

const NO_TARGETS: ReadonlyMap<unknown, object> = new Map();

function formerUser(id: string): object {
  return { id, name: null, email: null };
}

async function findTargets(
  tx: Tx,
  table: OpenTable,
  { target }: ColumnSchema,
  ids: readonly string[],
): Promise<ReadonlyMap<unknown, object>> {
  if (target === undefined) {
    const users = await findMemberNames(tx, ids);
    return new Map(users.map((user) => [user.id, user]));
  }
  const other = await table.find(target);
  if (!other) return NO_TARGETS;
  const query = parseRecordQuery(other, {});
  const { select, where, parameters } = query;
  const list = parameters.add(ids, "text[]");
  const visible = where === undefined ? "" : ` and ${where}`;
  const text = `select ${select} from ${other.schema.view} where id = any(${list})${visible}`;
  const rows = await queryRows(tx, text, parameters.values);
  return new Map(rows.map((row) => [row["id"], toQueriedRecord(query, row)]));
}
