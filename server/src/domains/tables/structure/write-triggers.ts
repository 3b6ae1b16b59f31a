import type { Partition } from "#kernel/db/partition.ts";
import {
  derivedNameSql,
  quoteIdentifier,
  type TableLocation,
  tableSql,
  viewSql,
} from "../sql-names.ts";
import type { Table } from "../table.ts";
import { assumedConditionSql } from "./ddl.ts";

/** The statements that create the triggers, and that drop them again. */
export interface WriteTriggers {
  readonly create: readonly string[];
  readonly drop: readonly string[];
}

/**
 * Triggers for the time in which SQL writes to a table: they maintain the revisions of its records, and reject
 * values that no `parse` has checked. Readers continue. Writers wait before they lock any part of the table,
 * because dropping a trigger needs a stronger lock than creating one.
 */
export function writeTriggerSql(partition: Partition, table: Table): WriteTriggers {
  const location = { partition, table };
  const relation = tableSql(location);
  const triggers = [STAMP_TRIGGER, ...checkTriggers(location, table)];
  return {
    create: [
      `lock table ${viewSql(location)} in exclusive mode`,
      ...triggers.map(
        ({ name, action }) =>
          `create trigger ${name} before insert or update on ${relation} for each row ${action}`,
      ),
    ],
    drop: triggers.map(({ name }) => `drop trigger ${name} on ${relation}`),
  };
}

interface Trigger {
  readonly name: string;
  /** The event and the function of the trigger. */
  readonly action: string;
}

const STAMP_TRIGGER: Trigger = {
  name: quoteIdentifier("Stamp"),
  action: "execute function public.stamp_record()",
};

/** Checks the conditions that no constraint enforces; adding a constraint would block all readers. */
function checkTriggers(location: TableLocation, { columns }: Table): Trigger[] {
  return columns.flatMap((column) => {
    const condition = assumedConditionSql(column, `new.${quoteIdentifier(column.name)}`);
    if (condition === undefined) return [];
    const action = `when (not (${condition})) execute function public.refuse_record()`;
    return [{ name: derivedNameSql(location, "check", column.name), action }];
  });
}
