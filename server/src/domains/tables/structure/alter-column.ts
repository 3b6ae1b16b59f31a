import pg from "pg";
import { columnTypeOf } from "../columns/registry.ts";
import { startOf } from "../columns/autonumber.ts";
import { defaultSql } from "../columns/default.ts";
import { quoteIdentifier } from "../sql-names.ts";
import { derivedNameSql, qualifiedName, type TableLocation, tableSql } from "../sql-names.ts";
import type { Column } from "../table.ts";
import {
  assumedConditionSql,
  conditionSql,
  constraintSql,
  createIndexes,
  dropCheck,
  type IndexPurpose,
  ownIndexesOf,
  type Statement,
} from "./ddl.ts";

/**
 * The statements that change a column. Indexes, constraints and defaults that depend on the type are dropped before
 * the change, and created again after it.
 */
export function alterColumn(location: TableLocation, before: Column, after: Column): Statement[] {
  const change: ColumnAlteration = { location, before, after, retyped: before.type !== after.type };
  const visible = [
    ...dropClauses(change),
    ...retypeClauses(change),
    ...nullabilityClauses(change),
    ...defaultClauses(change),
    ...counterClauses(change),
    ...constraintClauses(change),
  ];
  const statement = (clause: string): Statement => ({
    text: clause.startsWith("select") ? clause : `alter table ${tableSql(location)} ${clause}`,
    fields: [after.name],
  });
  const internal = (clause: string): Statement => ({ ...statement(clause), isInternal: true });
  const [dropped, created] = indexChanges(change);
  return [
    ...dropped,
    ...outdatedCheckClauses(change).map(internal),
    ...visible.map(statement),
    ...verificationClauses(change).map(internal),
    ...created,
  ];
}

interface ColumnAlteration {
  readonly location: TableLocation;
  readonly before: Column;
  readonly after: Column;
  readonly retyped: boolean;
}

/** The indexes to drop first, and those to create last. */
function indexChanges({
  location,
  before,
  after,
  retyped,
}: ColumnAlteration): [Statement[], Statement[]] {
  const [oldIndexes, newIndexes] = [ownIndexesOf(before), ownIndexesOf(after)];
  const stays = (purpose: IndexPurpose) =>
    !retyped && oldIndexes.includes(purpose) && newIndexes.includes(purpose);
  const dropped = oldIndexes
    .filter((purpose) => !stays(purpose))
    .map((purpose) => ({ text: `drop index ${qualifiedName(location, purpose, before.name)}` }));
  const added = newIndexes.filter((purpose) => !stays(purpose));
  return [dropped, createIndexes(location, after, added)];
}

function dropClauses({ location, before, after, retyped }: ColumnAlteration): string[] {
  const defaultValue = defaultSql(before);
  return [
    ...CONSTRAINT_PURPOSES.filter((purpose) => {
      const sql = constraintSql(location, before, purpose);
      return sql !== undefined && (retyped || sql !== constraintSql(location, after, purpose));
    }).map((purpose) => `drop constraint ${derivedNameSql(location, purpose, before.name)}`),
    ...(defaultValue !== undefined && (retyped || defaultValue !== defaultSql(after))
      ? [`alter column ${quoteIdentifier(before.name)} drop default`]
      : []),
  ];
}

function constraintClauses({ location, before, after, retyped }: ColumnAlteration): string[] {
  return CONSTRAINT_PURPOSES.flatMap((purpose) => {
    const sql = constraintSql(location, after, purpose);
    const isThere = !retyped && sql === constraintSql(location, before, purpose);
    if (sql === undefined || isThere) return [];
    return [`add constraint ${derivedNameSql(location, purpose, after.name)} ${sql}`];
  });
}

/** Drops the check of an earlier release, where the condition is only assumed today. */
function outdatedCheckClauses({ location, before, after, retyped }: ColumnAlteration): string[] {
  const condition = assumedConditionSql(before);
  if (condition === undefined || (!retyped && condition === assumedConditionSql(after))) return [];
  return [dropCheck(location, before)];
}

/** Checks once the condition that is assumed of the column's values from now on. */
function verificationClauses({ location, before, after, retyped }: ColumnAlteration): string[] {
  const condition = assumedConditionSql(after);
  if (condition === undefined || (!retyped && condition === conditionSql(before))) return [];
  const name = derivedNameSql(location, "check", after.name);
  return [`add constraint ${name} check (${condition})`, `drop constraint ${name}`];
}

const CONSTRAINT_PURPOSES = ["check", "reference"] as const;

function retypeClauses({ before, after, retyped }: ColumnAlteration): string[] {
  if (!retyped) return [];
  const column = `alter column ${quoteIdentifier(after.name)}`;
  const [oldType, newType] = [columnTypeOf(before), columnTypeOf(after)];
  const conversion = newType.convertFrom(before, after, quoteIdentifier(after.name));
  if (conversion === undefined) throw new Error(`No ${before.type} becomes ${after.type}.`);
  const [type = "", identity] = newType.sqlType(after).split(" generated ");
  return [
    ...(oldType.generated ? [`${column} drop identity`] : []),
    `${column} type ${type} using ${conversion}`,
    ...(identity === undefined
      ? []
      : [`${column} set not null`, `${column} add generated ${identity}`]),
  ];
}

function nullabilityClauses({ before, after }: ColumnAlteration): string[] {
  const column = `alter column ${quoteIdentifier(after.name)}`;
  // A counter is never null, by its own clause.
  if (before.required === after.required || columnTypeOf(after).generated) return [];
  return [`${column} ${after.required ? "set" : "drop"} not null`];
}

function defaultClauses({ before, after, retyped }: ColumnAlteration): string[] {
  const defaultValue = defaultSql(after);
  if (defaultValue === undefined || (!retyped && defaultValue === defaultSql(before))) return [];
  return [`alter column ${quoteIdentifier(after.name)} set default ${defaultValue}`];
}

/** Continues a counter with its start value, or after the greatest existing number. */
function counterClauses({ location, before, after, retyped }: ColumnAlteration): string[] {
  const start = startOf(after);
  if (start === undefined || (!retyped && start === startOf(before))) return [];
  const [relation, name] = [tableSql(location), quoteIdentifier(after.name)];
  const sequence = `pg_get_serial_sequence(${pg.escapeLiteral(relation)}, ${pg.escapeLiteral(after.name)})`;
  return [
    `select setval(${sequence}, greatest(max(${name}) + 1, ${start}), false) from ${relation}`,
  ];
}
