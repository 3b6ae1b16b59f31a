import type { Partition } from "#kernel/db/partition.ts";
import { quoteIdentifier } from "#domains/tables/sql-names.ts";
import { nameSql, type TableLocation, tableSql, viewSql } from "#domains/tables/sql-names.ts";
import { assumedOf } from "#domains/tables/structure/ddl.ts";
import type { Table } from "#domains/tables/table.ts";

/** The statements that put a watch on a table, and that take it off again. */
export interface WriteTrigger {
  readonly on: readonly string[];
  readonly off: readonly string[];
}

/**
 * What stands on a table while SQL changes its records: it keeps their revisions, and refuses values that
 * nobody has read who would have refused them. Readers go on. Writers wait before they hold anything of
 * the table, since triggers go by a stronger lock than they come by.
 */
export function writeTriggerSql(partition: Partition, table: Table): WriteTrigger {
  const site = { partition, table };
  const place = tableSql(site);
  const triggers = [STAMP, ...refusalsOf(site, table)];
  return {
    on: [
      `lock table ${viewSql(site)} in exclusive mode`,
      ...triggers.map(
        ({ name, does }) =>
          `create trigger ${name} before insert or update on ${place} for each row ${does}`,
      ),
    ],
    off: triggers.map(({ name }) => `drop trigger ${name} on ${place}`),
  };
}

interface Trigger {
  readonly name: string;
  readonly does: string;
}

const STAMP: Trigger = {
  name: quoteIdentifier("Stamp"),
  does: "execute function public.stamp_record()",
};

/** For what is assumed of columns. Constraints would keep everybody from reading the table meanwhile. */
function refusalsOf(site: TableLocation, { columns }: Table): Trigger[] {
  return columns.flatMap((column) => {
    const condition = assumedOf(column, `new.${quoteIdentifier(column.name)}`);
    if (condition === undefined) return [];
    const does = `when (not (${condition})) execute function public.refuse_record()`;
    return [{ name: nameSql(site, "check", column.name), does }];
  });
}
