import type { Partition } from "#kernel/db/partition.ts";
import { quoteIdentifier } from "../sql-names.ts";
import { derivedNameSql, type TableLocation, tableSql, viewSql } from "../sql-names.ts";
import { assumedConditionSql } from "./ddl.ts";
import type { Table } from "../table.ts";

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
  const location = { partition, table };
  const relation = tableSql(location);
  const triggers = [STAMP_TRIGGER, ...checkTriggers(location, table)];
  return {
    on: [
      `lock table ${viewSql(location)} in exclusive mode`,
      ...triggers.map(
        ({ name, does }) =>
          `create trigger ${name} before insert or update on ${relation} for each row ${does}`,
      ),
    ],
    off: triggers.map(({ name }) => `drop trigger ${name} on ${relation}`),
  };
}

interface Trigger {
  readonly name: string;
  readonly does: string;
}

const STAMP_TRIGGER: Trigger = {
  name: quoteIdentifier("Stamp"),
  does: "execute function public.stamp_record()",
};

/** For what is assumed of columns. Constraints would keep everybody from reading the table meanwhile. */
function checkTriggers(location: TableLocation, { columns }: Table): Trigger[] {
  return columns.flatMap((column) => {
    const condition = assumedConditionSql(column, `new.${quoteIdentifier(column.name)}`);
    if (condition === undefined) return [];
    const does = `when (not (${condition})) execute function public.refuse_record()`;
    return [{ name: derivedNameSql(location, "check", column.name), does }];
  });
}
