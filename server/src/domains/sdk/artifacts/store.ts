import { sql } from "kysely";
import type { Static } from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Failure } from "#kernel/operation/failure.ts";
import {
  type Artifact,
  ARTIFACTS_MAX,
  type ArtifactSummary,
  type Definition,
  type Detail,
  NoSuchArtifact,
  NoSuchVersion,
} from "./artifact.ts";

/** What lists read: sources are long, and a list of them would be far too long. */
const SUMMARY = [
  "id",
  "name",
  "artifact_type as artifactType",
  "module_key as moduleKey",
  "description",
  "status",
  "version",
  "version_number as versionNumber",
  "created_by as createdBy",
  "created_at as createdAt",
  "updated_at as updatedAt",
] as const;
const FIELDS = [
  ...SUMMARY,
  "detail",
  "definition",
  "run_as as runAs",
  "permissions",
  "revision",
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
export async function list(tx: Tx, wanted: Wanted): Promise<Static<typeof ArtifactSummary>[]> {
  const { artifactType, moduleKey, status, before, limit } = wanted;
  let found = tx.selectFrom("artifacts").select(SUMMARY).where("id", "<", before);
  if (artifactType !== undefined) found = found.where("artifact_type", "=", artifactType);
  if (moduleKey !== undefined) found = found.where("module_key", "=", moduleKey);
  if (status !== undefined) found = found.where("status", "=", status);
  const rows = await found.orderBy("id", "desc").limit(limit).execute();
  // Only what was checked is ever stored.
  return rows as Static<typeof ArtifactSummary>[];
}

/** The details of some, but for their sources. */
export async function settingsOf(
  tx: Tx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Omit<Detail, "scriptSource">>> {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .selectFrom("artifacts")
    .select(["id", sql<Omit<Detail, "scriptSource">>`detail - 'scriptSource'`.as("settings")])
    .where("id", "in", ids)
    .execute();
  return new Map(rows.map(({ id, settings }) => [id, settings]));
}

/** A finished text, since every execution begins with it. */
const FIND = `select ${FIELDS.map(inSql).join(", ")} from artifacts where id = $1`;

/** "module_key as moduleKey" → 'module_key as "moduleKey"'. */
function inSql(field: string): string {
  return field.replace(/ as (\w+)$/, ' as "$1"');
}

export async function find(tx: Tx, id: string): Promise<Artifact | undefined> {
  const [row] = await queryRows(tx, FIND, [id]);
  return row && toArtifact(row as unknown as Parameters<typeof toArtifact>[0]);
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

/** What there is to know of an artifact that others use by its name. */
export interface Offered {
  readonly moduleKey: string;
  readonly name: string;
  readonly description: string;
  readonly inputs: Definition["inputs"];
}

const OFFERED = [
  "module_key as moduleKey",
  "name",
  "description",
  sql<Definition["inputs"]>`definition -> 'inputs'`.as("inputs"),
] as const;

/** The active actions of a connector, by name: those that name it, and those that name its type. */
export function listActions(tx: Tx, connector: readonly string[]): Promise<Offered[]> {
  return actionsFor(tx, connector)
    .select(OFFERED)
    .orderBy("name")
    .orderBy("id")
    .limit(ARTIFACTS_MAX)
    .execute();
}

/** One of them; the one that is listed where several have its name. */
export async function findAction(
  tx: Tx,
  connector: readonly string[],
  name: string,
): Promise<Artifact | undefined> {
  const found = actionsFor(tx, connector).select(FIELDS).where("name", "=", name).orderBy("id");
  const row = await found.limit(1).executeTakeFirst();
  return row && toArtifact(row);
}

function actionsFor(tx: Tx, connector: readonly string[]) {
  return tx
    .selectFrom("artifacts")
    .where("artifact_type", "=", "connector_action")
    .where("status", "=", "active")
    .where(sql<string>`detail ->> 'connector'`, "in", connector);
}

/** What workflows may use as nodes, drafts included: they are tried out in workflows too. */
export function listNodes(tx: Tx): Promise<Offered[]> {
  return nodes(tx)
    .select(OFFERED)
    .orderBy("module_key")
    .orderBy("name")
    .limit(ARTIFACTS_MAX)
    .execute();
}

/** Which of these there are, each `module.name`. */
export async function knownNodes(tx: Tx, types: readonly string[]): Promise<ReadonlySet<string>> {
  if (types.length === 0) return new Set();
  const type = sql<string>`module_key || '.' || name`;
  const rows = await nodes(tx).select(type.as("type")).where(type, "in", types).execute();
  return new Set(rows.map((row) => row.type));
}

function nodes(tx: Tx) {
  return tx
    .selectFrom("artifacts")
    .where("artifact_type", "=", "workflow_node")
    .where("status", "<>", "disabled");
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
    .select(["detail", "definition"])
    .where("artifact_id", "=", artifactId)
    .where("number", "=", number)
    .executeTakeFirst();
  if (!row) throw new Failure(NoSuchVersion);
  // Only what was checked is ever stored.
  return { detail: row.detail as Detail, definition: row.definition as Definition };
}

function toVersion<Row extends { readonly authorId: string; readonly authorName: string }>(
  row: Row,
) {
  const { authorId, authorName, ...version } = row;
  return { ...version, author: { id: authorId, name: authorName } };
}
