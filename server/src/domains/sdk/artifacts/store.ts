import type { Tx } from "#kernel/db/connection.ts";
import { Failure } from "#kernel/failure.ts";
import {
  type Artifact,
  ARTIFACTS_MAX,
  type ArtifactType,
  type Definition,
  type Detail,
  NoSuchArtifact,
  NoSuchVersion,
} from "./artifact.ts";

const FIELDS = [
  "id",
  "name",
  "artifact_type as artifactType",
  "module_key as moduleKey",
  "description",
  "status",
  "version",
  "version_number as versionNumber",
  "detail",
  "definition",
  "run_as as runAs",
  "permissions",
  "revision",
  "created_by as createdBy",
  "created_at as createdAt",
  "updated_at as updatedAt",
] as const;

interface ArtifactRow {
  readonly artifactType: string;
  readonly status: string;
  readonly detail: unknown;
  readonly definition: unknown;
}

/** Only what was checked is ever stored. */
function toArtifact(row: Omit<Artifact, keyof ArtifactRow> & ArtifactRow): Artifact {
  return row as Artifact;
}

export interface Wanted {
  readonly artifactType?: string | undefined;
  readonly moduleKey?: string | undefined;
  readonly status?: string | undefined;
  readonly before: string;
  readonly limit: number;
}

/** Newest first. */
export async function list(tx: Tx, wanted: Wanted): Promise<Artifact[]> {
  const { artifactType, moduleKey, status, before, limit } = wanted;
  let found = tx.selectFrom("artifacts").select(FIELDS).where("id", "<", before);
  if (artifactType !== undefined) found = found.where("artifact_type", "=", artifactType);
  if (moduleKey !== undefined) found = found.where("module_key", "=", moduleKey);
  if (status !== undefined) found = found.where("status", "=", status);
  return (await found.orderBy("id", "desc").limit(limit).execute()).map(toArtifact);
}

export async function find(tx: Tx, id: string): Promise<Artifact | undefined> {
  const row = await tx
    .selectFrom("artifacts")
    .select(FIELDS)
    .where("id", "=", id)
    .executeTakeFirst();
  return row && toArtifact(row);
}

export async function get(tx: Tx, id: string): Promise<Artifact> {
  const artifact = await find(tx, id);
  if (!artifact) throw new Failure(NoSuchArtifact);
  return artifact;
}

/** By what people call it: its module and name. */
export async function findByName(
  tx: Tx,
  moduleKey: string,
  name: string,
): Promise<Artifact | undefined> {
  const row = await tx
    .selectFrom("artifacts")
    .select(FIELDS)
    .where("module_key", "=", moduleKey)
    .where("name", "=", name)
    .executeTakeFirst();
  return row && toArtifact(row);
}

/** The active ones of a type, by name. */
export async function listOfType(tx: Tx, artifactType: ArtifactType): Promise<Artifact[]> {
  const rows = await tx
    .selectFrom("artifacts")
    .select(FIELDS)
    .where("artifact_type", "=", artifactType)
    .where("status", "=", "active")
    .orderBy("name")
    .limit(ARTIFACTS_MAX)
    .execute();
  return rows.map(toArtifact);
}

/** What workflows may use as nodes, drafts included: they are tried out in workflows too. */
export async function listNodes(tx: Tx): Promise<Artifact[]> {
  const rows = await tx
    .selectFrom("artifacts")
    .select(FIELDS)
    .where("artifact_type", "=", "workflow_node")
    .where("status", "<>", "disabled")
    .orderBy("module_key")
    .orderBy("name")
    .limit(ARTIFACTS_MAX)
    .execute();
  return rows.map(toArtifact);
}

export async function lock(tx: Tx, id: string): Promise<Artifact> {
  const row = await tx
    .selectFrom("artifacts")
    .select(FIELDS)
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw new Failure(NoSuchArtifact);
  return toArtifact(row);
}

export async function count(tx: Tx): Promise<number> {
  const { n } = await tx
    .selectFrom("artifacts")
    .select(({ fn }) => fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return n;
}

/** What changes of an artifact. */
export interface Values {
  readonly name?: string | undefined;
  readonly module_key?: string | undefined;
  readonly description?: string | undefined;
  readonly status?: string | undefined;
  readonly detail?: Detail | undefined;
  readonly definition?: Definition | undefined;
  readonly version?: string | undefined;
  readonly version_number?: number | undefined;
  readonly run_as: string;
  readonly permissions: readonly string[] | null;
  readonly updated_at: Date;
}

export async function insert(
  tx: Tx,
  values: Omit<Required<Values>, "version_number"> & {
    readonly id: string;
    readonly artifact_type: string;
    readonly created_by: string;
    readonly created_at: Date;
  },
): Promise<Artifact> {
  const row = await tx
    .insertInto("artifacts")
    .values(stored(values) as never)
    .returning(FIELDS)
    .executeTakeFirstOrThrow();
  return toArtifact(row);
}

export async function update(tx: Tx, id: string, values: Values): Promise<Artifact> {
  const row = await tx
    .updateTable("artifacts")
    .set((eb) => ({ ...(stored(values) as object), revision: eb("revision", "+", 1) }))
    .where("id", "=", id)
    .returning(FIELDS)
    .executeTakeFirstOrThrow();
  return toArtifact(row);
}

export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("artifacts").where("id", "=", id).execute();
}

/** JSON as the driver takes it: an array it would send as an array of PostgreSQL's. */
function stored({ detail, definition, ...values }: Partial<Values>): object {
  return {
    ...values,
    ...(detail && { detail: JSON.stringify(detail) }),
    ...(definition && { definition: JSON.stringify(definition) }),
  };
}

const VERSION_FIELDS = [
  "number as versionNumber",
  "version",
  "detail",
  "definition",
  "restored_from as restoredFrom",
  "author_id as authorId",
  "author_name as authorName",
  "created_at as createdAt",
] as const;

/** Appends what an artifact is now as its newest version. */
export async function appendVersion(
  tx: Tx,
  { id, versionNumber, version, detail, definition }: Artifact,
  about: {
    readonly author: { readonly id: string; readonly name: string };
    readonly restoredFrom: number | null;
    readonly at: Date;
  },
): Promise<void> {
  await tx
    .insertInto("artifact_versions")
    .values({
      artifact_id: id,
      number: versionNumber,
      version,
      detail: JSON.stringify(detail),
      definition: JSON.stringify(definition),
      restored_from: about.restoredFrom,
      author_id: about.author.id,
      author_name: about.author.name,
      created_at: about.at.toISOString(),
    })
    .execute();
}

export async function listVersions(
  tx: Tx,
  artifactId: string,
  { before, limit }: { readonly before: number; readonly limit: number },
) {
  const rows = await tx
    .selectFrom("artifact_versions")
    .select(VERSION_FIELDS)
    .where("artifact_id", "=", artifactId)
    .where("number", "<", before)
    .orderBy("number", "desc")
    .limit(limit)
    .execute();
  return rows.map(toVersion);
}

export async function getVersion(tx: Tx, artifactId: string, number: number) {
  const row = await tx
    .selectFrom("artifact_versions")
    .select(VERSION_FIELDS)
    .where("artifact_id", "=", artifactId)
    .where("number", "=", number)
    .executeTakeFirst();
  if (!row) throw new Failure(NoSuchVersion);
  return toVersion(row);
}

function toVersion<Row extends { readonly authorId: string; readonly authorName: string }>(
  row: Row & { readonly detail: unknown; readonly definition: unknown },
) {
  const { authorId, authorName, detail, definition, ...version } = row;
  return {
    ...version,
    author: { id: authorId, name: authorName },
    // Only what was checked is ever stored.
    detail: detail as Detail,
    definition: definition as Definition,
  };
}
