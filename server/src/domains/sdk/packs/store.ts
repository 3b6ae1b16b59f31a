import { sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { InstalledItem, StoredPack } from "./pack.ts";

const FIELDS = [
  "pack_id as id",
  "environment",
  "name",
  "version",
  "description",
  "author",
  "dependencies",
  "checksum",
  "made",
  "revision",
  "installed_by as installedBy",
  "installed_at as installedAt",
  "updated_at as updatedAt",
] as const;

/** Locks the workspace's packs until the transaction ends, so that installations are serialised. */
export async function lockPacks(tx: Tx): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(
      'packs of ' || current_setting('millrace.workspace'), 0))`.execute(tx);
}

/** Lists packs by id. */
export async function list(
  tx: Tx,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<StoredPack[]> {
  const rows = await tx
    .selectFrom("pack_installs")
    .select(FIELDS)
    .where("pack_id", ">", after)
    .orderBy("pack_id")
    .limit(limit)
    .execute();
  return rows.map(toPack);
}

/** Lists the versions and dependencies of all packs. */
export async function listVersions(
  tx: Tx,
): Promise<readonly Pick<StoredPack, "id" | "version" | "dependencies">[]> {
  const rows = await tx
    .selectFrom("pack_installs")
    .select(["pack_id as id", "version", "dependencies"])
    .execute();
  return rows.map(({ dependencies, ...row }) => ({
    ...row,
    dependencies: dependencies as Readonly<Record<string, string>>,
  }));
}

export async function find(tx: Tx, id: string): Promise<StoredPack | undefined> {
  const row = await tx
    .selectFrom("pack_installs")
    .select(FIELDS)
    .where("pack_id", "=", id)
    .executeTakeFirst();
  return row && toPack(row);
}

export async function get(tx: Tx, id: string): Promise<StoredPack> {
  const pack = await find(tx, id);
  if (!pack) throw new Failure(NotFound);
  return pack;
}

type PackValues = Omit<StoredPack, "packKey" | "revision" | "installedAt" | "updatedAt">;

export async function upsertPack(tx: Tx, pack: PackValues, now: Date): Promise<StoredPack> {
  const { id, environment, name, version, description, author, checksum } = pack;
  const values = {
    name,
    version,
    description,
    author,
    checksum,
    dependencies: JSON.stringify(pack.dependencies),
    made: JSON.stringify(pack.made),
    installed_by: pack.installedBy,
    updated_at: now,
  };
  const row = await tx
    .insertInto("pack_installs")
    .values({ pack_id: id, environment, ...values, installed_at: now })
    .onConflict((conflict) =>
      conflict.columns(["workspace_id", "pack_id"]).doUpdateSet((eb) => ({
        ...values,
        revision: eb("pack_installs.revision", "+", 1),
      })),
    )
    .returning(FIELDS)
    .executeTakeFirstOrThrow();
  return toPack(row);
}

export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("pack_installs").where("pack_id", "=", id).execute();
}

interface PackRow extends Omit<StoredPack, "packKey" | "dependencies" | "made"> {
  readonly dependencies: unknown;
  readonly made: unknown;
}

/** The JSON columns contain only data written by `upsertPack`. */
function toPack({ dependencies, made, ...row }: PackRow): StoredPack {
  return {
    ...row,
    packKey: row.id,
    dependencies: dependencies as StoredPack["dependencies"],
    made: made as readonly InstalledItem[],
  };
}
