import type { UnattendedItem, UnattendedWork } from "#kernel/contributions/unattended-work.ts";
import { sql } from "kysely";
import type { Static } from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Failure } from "#kernel/operation/failure.ts";
import {
  type Artifact,
  ARTIFACTS_MAX,
  type ArtifactSummary,
  type ArtifactDefinition,
  type ArtifactDetail,
  NoSuchArtifact,
  NoSuchVersion,
} from "./artifact.ts";

/** The columns of lists, without sources, which are long. */
const SUMMARY = [
  "id",
  "name",
  "artifact_type as artifactType",
  "module_key as moduleKey",
  "description",
  "status",
  "version",
  "version_number as versionNumber",
  "run_as as savedBy",
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
  "hook_token as hookToken",
  "revision",
] as const;

interface ArtifactRow {
  readonly artifactType: string;
  readonly status: string;
  readonly detail: unknown;
  readonly definition: unknown;
}

/** The JSON columns contain only validated input. */
function toArtifact(row: Omit<Artifact, keyof ArtifactRow> & ArtifactRow): Artifact {
  return row as Artifact;
}

export interface ArtifactQuery {
  readonly artifactType?: string | undefined;
  readonly moduleKey?: string | undefined;
  readonly status?: string | undefined;
  readonly before: string;
  readonly limit: number;
}

type ListedArtifact = Static<typeof ArtifactSummary> & { readonly revision: number };

/** Lists artifacts, newest first. */
export async function list(tx: Tx, query: ArtifactQuery): Promise<ListedArtifact[]> {
  const { artifactType, moduleKey, status, before, limit } = query;
  let statement = tx
    .selectFrom("artifacts")
    .select([...SUMMARY, "revision"])
    .where("id", "<", before);
  if (artifactType !== undefined) statement = statement.where("artifact_type", "=", artifactType);
  if (moduleKey !== undefined) statement = statement.where("module_key", "=", moduleKey);
  if (status !== undefined) statement = statement.where("status", "=", status);
  const rows = await statement.orderBy("id", "desc").limit(limit).execute();
  // The columns contain only validated input.
  return rows as ListedArtifact[];
}

/** Reads the details of these artifacts without their sources. */
export async function readSettings(
  tx: Tx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Omit<ArtifactDetail, "scriptSource">>> {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .selectFrom("artifacts")
    .select([
      "id",
      sql<Omit<ArtifactDetail, "scriptSource">>`detail - 'scriptSource'`.as("settings"),
    ])
    .where("id", "in", ids)
    .execute();
  return new Map(rows.map(({ id, settings }) => [id, settings]));
}

/** Built once, because every execution starts with it. */
const FIND = `select ${FIELDS.map(quoteAlias).join(", ")} from artifacts where id = $1`;

/** "module_key as moduleKey" → 'module_key as "moduleKey"'. */
function quoteAlias(field: string): string {
  return field.replace(/ as (\w+)$/, ' as "$1"');
}

export async function find(tx: Tx, id: string): Promise<Artifact | undefined> {
  const [row] = await queryRows<Parameters<typeof toArtifact>[0]>(tx, FIND, [id]);
  return row && toArtifact(row);
}

export async function get(tx: Tx, id: string): Promise<Artifact> {
  const artifact = await find(tx, id);
  if (!artifact) throw new Failure(NoSuchArtifact);
  return artifact;
}

/** Finds an artifact by its module and name. */
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

/** The interface of an artifact that is used by its name. */
export interface ArtifactSignature {
  readonly moduleKey: string;
  readonly name: string;
  readonly description: string;
  readonly inputs: ArtifactDefinition["inputs"];
  readonly outputs: ArtifactDefinition["outputs"];
}

const SIGNATURE_COLUMNS = [
  "module_key as moduleKey",
  "name",
  "description",
  sql<ArtifactDefinition["inputs"]>`definition -> 'inputs'`.as("inputs"),
  sql<ArtifactDefinition["outputs"]>`definition -> 'outputs'`.as("outputs"),
] as const;

/** Lists the active actions of a connector by name, for its id or its type. */
export function listActions(tx: Tx, connector: readonly string[]): Promise<ArtifactSignature[]> {
  return selectActions(tx, connector)
    .select(SIGNATURE_COLUMNS)
    .orderBy("name")
    .orderBy("id")
    .limit(ARTIFACTS_MAX)
    .execute();
}

/** Finds an action by name. The first listed one if several have the name. */
export async function findAction(
  tx: Tx,
  connector: readonly string[],
  name: string,
): Promise<Artifact | undefined> {
  const statement = selectActions(tx, connector)
    .select(FIELDS)
    .where("name", "=", name)
    .orderBy("id");
  const row = await statement.limit(1).executeTakeFirst();
  return row && toArtifact(row);
}

function selectActions(tx: Tx, connector: readonly string[]) {
  return tx
    .selectFrom("artifacts")
    .where("artifact_type", "=", "connector_action")
    .where("status", "=", "active")
    .where(sql<string>`detail ->> 'connector'`, "in", connector);
}

/** Lists artifacts that workflows can use as nodes, including drafts for testing. */
export function listNodes(tx: Tx): Promise<ArtifactSignature[]> {
  return selectNodes(tx)
    .select(SIGNATURE_COLUMNS)
    .orderBy("module_key")
    .orderBy("name")
    .limit(ARTIFACTS_MAX)
    .execute();
}

/** Lists artifacts that a new workflow step can use: nodes and data transformers. */
export function listInsertable(tx: Tx, limit: number) {
  return tx
    .selectFrom("artifacts")
    .select([
      "id",
      "module_key as moduleKey",
      "name",
      "description",
      "artifact_type as artifactType",
    ])
    .where("artifact_type", "in", ["workflow_node", "data_transformer"])
    .where("status", "<>", "disabled")
    .orderBy("module_key")
    .orderBy("name")
    .limit(limit)
    .execute();
}

/** Filters node types (`module.name`) by existence. */
export async function findKnownNodes(
  tx: Tx,
  types: readonly string[],
): Promise<ReadonlySet<string>> {
  if (types.length === 0) return new Set();
  const type = sql<string>`module_key || '.' || name`;
  const rows = await selectNodes(tx).select(type.as("type")).where(type, "in", types).execute();
  return new Set(rows.map((row) => row.type));
}

function selectNodes(tx: Tx) {
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

/** The columns that a change writes. */
export interface ArtifactValues {
  readonly name?: string | undefined;
  readonly module_key?: string | undefined;
  readonly description?: string | undefined;
  readonly status?: string | undefined;
  readonly detail?: ArtifactDetail | undefined;
  readonly definition?: ArtifactDefinition | undefined;
  readonly version?: string | undefined;
  readonly version_number?: number | undefined;
  readonly run_as?: string | undefined;
  readonly permissions?: readonly string[] | null | undefined;
  readonly updated_at: Date;
}

export async function insert(
  tx: Tx,
  values: Omit<Required<ArtifactValues>, "version_number"> & {
    readonly id: string;
    readonly artifact_type: string;
    readonly hook_token: string | null;
    readonly created_by: string;
    readonly created_at: Date;
  },
): Promise<Artifact> {
  const row = await tx
    .insertInto("artifacts")
    .values(toColumns(values) as never)
    .returning(FIELDS)
    .executeTakeFirstOrThrow();
  return toArtifact(row);
}

export async function update(tx: Tx, id: string, values: ArtifactValues): Promise<Artifact> {
  const row = await tx
    .updateTable("artifacts")
    .set((eb) => ({ ...(toColumns(values) as object), revision: eb("revision", "+", 1) }))
    .where("id", "=", id)
    .returning(FIELDS)
    .executeTakeFirstOrThrow();
  return toArtifact(row);
}

export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("artifacts").where("id", "=", id).execute();
}

/** Stringifies JSON columns, because the driver would send an array as a PostgreSQL array. */
function toColumns({ detail, definition, ...values }: Partial<ArtifactValues>): object {
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

/** Appends the artifact's current state as its newest version. */
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
  // The JSON columns contain only validated input.
  return { detail: row.detail as ArtifactDetail, definition: row.definition as ArtifactDefinition };
}

function toVersion<Row extends { readonly authorId: string; readonly authorName: string }>(
  row: Row,
) {
  const { authorId, authorName, ...version } = row;
  return { ...version, author: { id: authorId, name: authorName } };
}

/** Active artifacts that run in the name of a member. */
export const unattendedArtifacts: UnattendedWork = {
  kind: "artifact",
  list: async (tx, userId, limit) =>
    await queryRows<UnattendedItem>(tx, UNATTENDED, [userId, limit]),
};

const UNATTENDED = `
  select id, name, null as environment
    from artifacts where run_as = $1 and status = 'active' order by id limit $2`;
