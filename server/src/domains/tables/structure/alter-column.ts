import pg from "pg";
import { columnTypeOf } from "../columns/registry.ts";
import { startOf } from "../columns/autonumber.ts";
import { defaultSql } from "../columns/default.ts";
import { quoteIdentifier } from "../sql-names.ts";
import { nameSql, qualified, type TableLocation, tableSql } from "../sql-names.ts";
import type { Column } from "../table.ts";
import {
  assumedOf,
  conditionOf,
  constraintSql,
  createIndexes,
  dropCheck,
  indexesOf,
  type Statement,
} from "./ddl.ts";

/**
 * The statements that make one column into another of the same name. What depends on the type goes
 * before the type is changed, and comes back after it.
 */
export function alterColumn(site: TableLocation, before: Column, after: Column): Statement[] {
  const change: Change = { site, before, after, retyped: before.type !== after.type };
  const seen = [
    ...droppedConstraints(change),
    ...retyping(change),
    ...nullness(change),
    ...presetting(change),
    ...counting(change),
    ...addedConstraints(change),
  ];
  const statement = (clause: string): Statement => ({
    text: clause.startsWith("select") ? clause : `alter table ${tableSql(site)} ${clause}`,
    fields: [after.name],
  });
  const inner = (clause: string): Statement => ({ ...statement(clause), inner: true });
  const [gone, made] = indexChanges(change);
  return [
    ...gone,
    ...outdatedCheck(change).map(inner),
    ...seen.map(statement),
    ...verification(change).map(inner),
    ...made,
  ];
}

interface Change {
  readonly site: TableLocation;
  readonly before: Column;
  readonly after: Column;
  readonly retyped: boolean;
}

/** Those that go first, and those that come last. */
function indexChanges({ site, before, after, retyped }: Change): [Statement[], Statement[]] {
  const [old, now] = [indexesOf(before), indexesOf(after)];
  const stays = (purpose: "unique" | "index") =>
    !retyped && old.includes(purpose) && now.includes(purpose);
  const gone = old
    .filter((purpose) => !stays(purpose))
    .map((purpose) => ({ text: `drop index ${qualified(site, purpose, before.name)}` }));
  const kept = new Set(now.filter(stays));
  const column = { ...after, unique: after.unique && !kept.has("unique") };
  return [gone, createIndexes(site, { ...column, indexed: after.indexed && !kept.has("index") })];
}

function droppedConstraints({ site, before, after, retyped }: Change): string[] {
  const preset = defaultSql(before);
  return [
    ...PURPOSES.filter((purpose) => {
      const sql = constraintSql(site, before, purpose);
      return sql !== undefined && (retyped || sql !== constraintSql(site, after, purpose));
    }).map((purpose) => `drop constraint ${nameSql(site, purpose, before.name)}`),
    ...(preset !== undefined && (retyped || preset !== defaultSql(after))
      ? [`alter column ${quoteIdentifier(before.name)} drop default`]
      : []),
  ];
}

function addedConstraints({ site, before, after, retyped }: Change): string[] {
  return PURPOSES.flatMap((purpose) => {
    const sql = constraintSql(site, after, purpose);
    const isThere = !retyped && sql === constraintSql(site, before, purpose);
    if (sql === undefined || isThere) return [];
    return [`add constraint ${nameSql(site, purpose, after.name)} ${sql}`];
  });
}

/** A check of an earlier release, where none is expected any more. */
function outdatedCheck({ site, before, after, retyped }: Change): string[] {
  const condition = assumedOf(before);
  if (condition === undefined || (!retyped && condition === assumedOf(after))) return [];
  return [dropCheck(site, before)];
}

/** What is assumed of the column's values from now on is looked at once. */
function verification({ site, before, after, retyped }: Change): string[] {
  const condition = assumedOf(after);
  if (condition === undefined || (!retyped && condition === conditionOf(before))) return [];
  const name = nameSql(site, "check", after.name);
  return [`add constraint ${name} check (${condition})`, `drop constraint ${name}`];
}

const PURPOSES = ["check", "reference"] as const;

function retyping({ before, after, retyped }: Change): string[] {
  if (!retyped) return [];
  const column = `alter column ${quoteIdentifier(after.name)}`;
  const [was, is] = [columnTypeOf(before), columnTypeOf(after)];
  const converted = is.convertFrom(before, after, quoteIdentifier(after.name));
  if (converted === undefined) throw new Error(`No ${before.type} becomes ${after.type}.`);
  const [type = "", identity] = is.sqlType(after).split(" generated ");
  return [
    ...(was.generated ? [`${column} drop identity`] : []),
    `${column} type ${type} using ${converted}`,
    ...(identity === undefined
      ? []
      : [`${column} set not null`, `${column} add generated ${identity}`]),
  ];
}

function nullness({ before, after }: Change): string[] {
  const column = `alter column ${quoteIdentifier(after.name)}`;
  // What counts is never null, and says so itself.
  if (before.required === after.required || columnTypeOf(after).generated) return [];
  return [`${column} ${after.required ? "set" : "drop"} not null`];
}

function presetting({ before, after, retyped }: Change): string[] {
  const preset = defaultSql(after);
  if (preset === undefined || (!retyped && preset === defaultSql(before))) return [];
  return [`alter column ${quoteIdentifier(after.name)} set default ${preset}`];
}

/** The next number is the one to start with, or the one after the greatest that is there. */
function counting({ site, before, after, retyped }: Change): string[] {
  const start = startOf(after);
  if (start === undefined || (!retyped && start === startOf(before))) return [];
  const [place, name] = [tableSql(site), quoteIdentifier(after.name)];
  const sequence = `pg_get_serial_sequence(${pg.escapeLiteral(place)}, ${pg.escapeLiteral(after.name)})`;
  return [`select setval(${sequence}, greatest(max(${name}) + 1, ${start}), false) from ${place}`];
}
