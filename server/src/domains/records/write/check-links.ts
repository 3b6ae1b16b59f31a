import { FIELD_ERRORS_MAX, type OpenTable } from "#domains/tables/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import type { RecordWrite, TableRecord } from "../record.ts";
import { invalidRecord } from "./constraint-error.ts";

/**
 * Throws unless all records in new or changed link lists exist, and prevents their deletion until the transaction
 * ends, like a foreign key does for a reference. Runs one query per column.
 */
export async function assertLinks(
  { tx }: ReadContext,
  table: OpenTable,
  writes: readonly (RecordWrite & { readonly before?: TableRecord })[],
): Promise<void> {
  for (const { name, linkTarget } of table.schema.columns) {
    if (linkTarget === undefined) continue;
    const named = writes.flatMap(({ record, before, path }) => {
      const known = new Set(toIds(before?.[name]));
      const added = toIds(record[name]).filter((id) => !known.has(id));
      return added.map((id) => ({ id, path: `${path}/${name}` }));
    });
    if (named.length === 0) continue;
    const found = await lockTargets(tx, table, linkTarget, [...new Set(named.map(({ id }) => id))]);
    const missing = named.filter(({ id }) => !found.has(id));
    const errors: FieldError[] = [...new Set(missing.map(({ path }) => path))]
      .slice(0, FIELD_ERRORS_MAX)
      .map((path) => ({ path, message: `refers to a record that is not in ${linkTarget}` }));
    if (errors.length > 0) throw invalidRecord(table, errors);
  }
}

/**
 * Locks the linked records. A record may link to itself, and to other records of the same request after their
 * creation.
 */
async function lockTargets(
  tx: ReadContext["tx"],
  table: OpenTable,
  slug: string,
  ids: readonly string[],
): Promise<ReadonlySet<unknown>> {
  const target = await table.find(slug);
  if (!target) return new Set();
  const text = `select id from ${target.schema.view} where id = any($1::text[]) order by id for key share`;
  const rows = await target.retryOnSchemaChange(() => queryRows(tx, text, [ids]));
  return new Set(rows.map(({ id }) => id));
}

function toIds(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as readonly string[]) : [];
}
