/** The values of variables, for code that acts for a workspace in an environment. */
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { BatchedRead } from "#kernel/work/batched-read.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { ANY_NAME } from "#kernel/expression/references.ts";
import { Failure, failure, Forbidden } from "#kernel/operation/failure.ts";
import { VARIABLES_MAX, VariablesRead } from "./variable.ts";

export const UnknownVariable = failure(
  "unknown_variable",
  422,
  "A referenced variable does not exist.",
);

type Place = Pick<Partition, "workspace" | "environment">;
type Reader = Pick<Caller, "permissions">;

interface VariableKey extends Place {
  readonly name: string;
}

interface VariableRow {
  readonly at: number;
  readonly value: unknown;
  /** True if the only value belongs to production and is limited to it. */
  readonly withheld: boolean;
}

/** The value of an environment, otherwise production's, and whether it is limited to production. */
const HERE = (environment: string) => `
  coalesce(v.environments -> ${environment}, v.value) as value,
  v.own_values_only and ${environment} <> 'production' and v.environments -> ${environment} is null as withheld`;

const READ = `
  select r.at::int - 1 as at, ${HERE("r.environment")}
    from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as r (workspace_id, name, environment, at)
    join variables v on v.workspace_id = r.workspace_id and v.name = r.name`;

const READ_ALL = `
  select v.name, ${HERE("$2::text")} from variables v where v.workspace_id = $1 order by v.name limit $3`;

const BATCH_VARIABLES_MAX = 1_000;
const reads = new WeakMap<Platform["db"], BatchedRead<VariableKey, VariableRow>>();

/**
 * The current values of variables by name, or of all if the names contain `ANY_NAME`. Fails with `unknown_variable` if
 * a named one does not exist or has no value here, and without the permission to read variables.
 */
export async function readVariables(
  { db }: Pick<Platform, "db">,
  { workspace, environment }: Place,
  names: readonly string[],
  reader: () => Promise<Reader | undefined>,
): Promise<Readonly<Record<string, unknown>>> {
  assertMayRead(await reader());
  const isAll = names.includes(ANY_NAME);
  const all = isAll ? await readAll(db, { workspace, environment }) : [];
  const read = readOf(db);
  const named = await Promise.all(
    names
      .filter((name) => name !== ANY_NAME)
      .map(async (name) => ({ name, row: await read.get({ workspace, environment, name }) })),
  );
  const absent = named.find(({ row }) => !row);
  if (absent) {
    throw new Failure(UnknownVariable, { detail: `The variable ${absent.name} does not exist.` });
  }
  const withheld = named.find(({ row }) => row?.withheld);
  if (withheld) {
    const detail = `${withheld.name} has no value for ${environment}, and the production value must not be used there.`;
    throw new Failure(UnknownVariable, { detail });
  }
  return Object.fromEntries([
    ...all,
    ...named.map(({ name, row }) => [name, row?.value ?? null] as const),
  ]);
}

/** All variables with a value here, for previews. Empty without the permission. */
export async function listValues(
  { db }: Pick<Platform, "db">,
  place: Place,
  { permissions }: Reader,
): Promise<Readonly<Record<string, unknown>>> {
  if (!permissions.has(VariablesRead.name)) return {};
  return Object.fromEntries(await readAll(db, place));
}

/** Finds the names without a variable. */
export async function findMissingVariables(tx: Tx, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const text = "select name from variables where name = any($1::text[])";
  const existing = new Set((await queryRows(tx, text, [names])).map(({ name }) => name));
  return names.filter((name) => !existing.has(name));
}

/** A variable without its own value in an environment, where production's value or none applies. */
export interface ForeignVariable {
  readonly name: string;
  readonly use: "production" | "none";
}

/** Filters variables to those without their own value in an environment. */
export async function findForeignVariables(
  tx: Tx,
  environment: string,
  names: readonly string[],
): Promise<ForeignVariable[]> {
  if (names.length === 0) return [];
  const text = `
    select name, own_values_only as own from variables
     where name = any($1::text[]) and environments -> $2 is null order by name`;
  const rows = await queryRows<{ name: string; own: boolean }>(tx, text, [names, environment]);
  return rows.map(({ name, own }) => ({ name, use: own ? "none" : "production" }));
}

async function readAll(
  db: Platform["db"],
  { workspace, environment }: Place,
): Promise<(readonly [string, unknown])[]> {
  const rows = await db.system<{ name: string; value: unknown; withheld: boolean }>(READ_ALL, [
    workspace,
    environment,
    VARIABLES_MAX,
  ]);
  return rows
    .filter(({ withheld }) => !withheld)
    .map(({ name, value }) => [name, value ?? null] as const);
}

function readOf(db: Platform["db"]): BatchedRead<VariableKey, VariableRow> {
  let read = reads.get(db);
  if (!read) {
    read = new BatchedRead<VariableKey, VariableRow>(BATCH_VARIABLES_MAX, async (keys) => {
      const rows = await db.system<VariableRow & Record<string, unknown>>(READ, [
        keys.map(({ workspace }) => workspace),
        keys.map(({ name }) => name),
        keys.map(({ environment }) => environment),
      ]);
      return new Map(rows.map((row) => [row.at, row]));
    });
    reads.set(db, read);
  }
  return read;
}

function assertMayRead(reader: Reader | undefined): void {
  if (reader?.permissions.has(VariablesRead.name)) return;
  throw new Failure(Forbidden, {
    detail: `The owner needs the permission ${VariablesRead.name} to use these variables.`,
  });
}
