import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Tables } from "../../tables.ts";
import type { EnvironmentWithOwn, Secret } from "./secret.ts";

/** Without the encrypted value, which only the kernel's secrets service reads. */
const COLUMNS = [
  "name",
  "description",
  "own_values_only",
  "revision",
  "last_used_at",
  "created_at",
  "updated_at",
] as const;
type Row = Pick<Selectable<Tables["secrets"]>, (typeof COLUMNS)[number]> & {
  readonly environments: EnvironmentWithOwn[];
};

/** The environments with separate values, in order. */
const environmentsSql = sql<EnvironmentWithOwn[]>`array(
  select v.environment::text from secret_values v where v.name = secrets.name order by v.environment)`;

export async function insert(tx: Tx, row: Insertable<Tables["secrets"]>): Promise<Secret> {
  return toSecret(
    await tx
      .insertInto("secrets")
      .values(row)
      .returning(COLUMNS)
      .returning(environmentsSql.as("environments"))
      .executeTakeFirstOrThrow(),
  );
}

export async function get(tx: Tx, name: string): Promise<Secret> {
  return assertFound(await byName(tx, name).executeTakeFirst());
}

/** Locks the row until the transaction ends. */
export async function lock(tx: Tx, name: string): Promise<Secret> {
  return assertFound(await byName(tx, name).forUpdate().executeTakeFirst());
}

export async function update(
  tx: Tx,
  name: string,
  change: Updateable<Tables["secrets"]>,
): Promise<Secret> {
  return toSecret(
    await tx
      .updateTable("secrets")
      .set(change)
      .set((row) => ({ revision: row("revision", "+", 1) }))
      .where("name", "=", name)
      .returning(COLUMNS)
      .returning(environmentsSql.as("environments"))
      .executeTakeFirstOrThrow(),
  );
}

/** Sets the value of a secret in an environment. */
export async function setEnvironment(
  tx: Tx,
  row: Insertable<Tables["secret_values"]>,
): Promise<void> {
  const { sealed, updated_at } = row;
  await tx
    .insertInto("secret_values")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["workspace_id", "name", "environment"]).doUpdateSet({ sealed, updated_at }),
    )
    .execute();
}

/** Removes the value of a secret in an environment. Fails if it does not exist. */
export async function removeEnvironment(
  tx: Tx,
  name: string,
  environment: EnvironmentWithOwn,
): Promise<void> {
  const removed = await tx
    .deleteFrom("secret_values")
    .where("name", "=", name)
    .where("environment", "=", environment)
    .returning("name")
    .executeTakeFirst();
  if (!removed) throw new Failure(NotFound);
}

export async function remove(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom("secrets").where("name", "=", name).execute();
}

export async function list(
  tx: Tx,
  page: { readonly after: string; readonly limit: number },
): Promise<Secret[]> {
  const rows = await tx
    .selectFrom("secrets")
    .select(COLUMNS)
    .select(environmentsSql.as("environments"))
    .where("name", ">", page.after)
    .orderBy("name")
    .limit(page.limit)
    .execute();
  return rows.map(toSecret);
}

/** Finds the names without a secret. */
export async function findMissingSecrets(tx: Tx, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const rows = await tx.selectFrom("secrets").select("name").where("name", "in", names).execute();
  const existing = new Set(rows.map(({ name }) => name));
  return names.filter((name) => !existing.has(name));
}

/** A secret without its own value in an environment, where production's value or none applies. */
export interface ForeignSecret {
  readonly name: string;
  readonly use: "production" | "none";
}

/** Filters secrets to those without their own value in an environment. */
export async function findForeignSecrets(
  tx: Tx,
  environment: EnvironmentWithOwn,
  names: readonly string[],
): Promise<ForeignSecret[]> {
  if (names.length === 0) return [];
  const { rows } = await sql<{ name: string; own: boolean }>`
    select s.name, s.own_values_only as own from secrets s
     where s.name = any (${names}::text[])
       and not exists (select from secret_values v where v.name = s.name and v.environment = ${environment})
     order by s.name`.execute(tx);
  return rows.map(({ name, own }) => ({ name, use: own ? "none" : "production" }));
}

export async function count(tx: Tx): Promise<number> {
  const { n } = await tx
    .selectFrom("secrets")
    .select((row) => row.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return n;
}

function byName(tx: Tx, name: string) {
  return tx
    .selectFrom("secrets")
    .select(COLUMNS)
    .select(environmentsSql.as("environments"))
    .where("name", "=", name);
}

function assertFound(row: Row | undefined): Secret {
  if (!row) throw new Failure(NotFound);
  return toSecret(row);
}

function toSecret({ own_values_only, last_used_at, created_at, updated_at, ...row }: Row): Secret {
  return {
    ...row,
    ownValuesOnly: own_values_only,
    lastUsedAt: last_used_at,
    createdAt: created_at,
    updatedAt: updated_at,
  };
}
