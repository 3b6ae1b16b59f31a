import { type Insertable, sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Tables } from "../../../tables.ts";
import type { Definition } from "../definition/index.ts";
import { type FullVersion, statusAfter, type Version, type VersionStatus } from "./version.ts";

export type VersionRef = { readonly id: string } | { readonly number: number };

export async function insert(tx: Tx, row: Insertable<Tables["workflow_versions"]>): Promise<void> {
  await tx.insertInto("workflow_versions").values(row).execute();
}

export async function get(tx: Tx, workflowId: string, ref: VersionRef): Promise<FullVersion> {
  const version = await find(tx, workflowId, ref);
  if (!version) throw new Failure(NotFound);
  return version;
}

export async function find(
  tx: Tx,
  workflowId: string,
  ref: VersionRef,
): Promise<FullVersion | undefined> {
  const selected = rows(tx, workflowId).select("v.definition");
  const row = await (
    "id" in ref ? selected.where("v.id", "=", ref.id) : selected.where("v.number", "=", ref.number)
  ).executeTakeFirst();
  // Only checked definitions are stored.
  return row && { ...toVersion(row), definition: row.definition as Definition };
}

/** Newest first. */
export async function list(
  tx: Tx,
  workflowId: string,
  page: { readonly before: number | undefined; readonly limit: number },
): Promise<Version[]> {
  let found = rows(tx, workflowId);
  if (page.before !== undefined) found = found.where("v.number", "<", page.before);
  return (await found.orderBy("v.number", "desc").limit(page.limit).execute()).map(toVersion);
}

export async function setLabel(tx: Tx, id: string, label: string | null): Promise<void> {
  await change(tx, id, { label });
}

export async function archive(tx: Tx, id: string): Promise<void> {
  await change(tx, id, { status: "archived" });
}

/**
 * Updates the statuses of versions from deployments and the newest version. `touched` versions are written even if
 * their status does not change.
 */
export async function refreshStatuses(
  tx: Tx,
  workflowId: string,
  { newest, touched = [] }: { readonly newest: number; readonly touched?: readonly string[] },
): Promise<void> {
  const found = await tx
    .selectFrom("workflow_versions as v")
    .select(["v.id", "v.number", "v.status", DEPLOYED.as("deployed")])
    .where("v.workflow_id", "=", workflowId)
    .where((row) => row.or([row("v.status", "in", ["draft", "active"]), DEPLOYED]))
    .execute();
  for (const { id, number, status: before, deployed } of found) {
    const status = statusAfter(before as VersionStatus, { deployed, newest: number === newest });
    if (status !== before || touched.includes(id)) await change(tx, id, { status });
  }
}

/**
 * Protects a version from retention until the transaction ends. Returns false if the version does not exist. Called
 * before a run starts, because retention keeps only versions used by runs.
 */
export async function holdVersion(tx: Tx, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom("workflow_versions")
    .select("id")
    .where("id", "=", id)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}

const DEPLOYED = sql<boolean>`exists (
  select from workflow_deployments d where d.version_id = v.id)`;

const ACTIVE_IN = sql<EnvironmentName[]>`array(
  select d.environment::text from workflow_deployments d where d.version_id = v.id
   order by d.environment)`;

function rows(tx: Tx, workflowId: string) {
  return tx
    .selectFrom("workflow_versions as v")
    .select(["v.id", "v.workflow_id", "v.number", "v.label", "v.status", "v.change_summary"])
    .select(["v.author_id", "v.author_name", "v.created_at", "v.revision"])
    .select(ACTIVE_IN.as("active_in"))
    .where("v.workflow_id", "=", workflowId);
}

type Row = Awaited<ReturnType<ReturnType<typeof rows>["executeTakeFirstOrThrow"]>>;

function toVersion(row: Row): Version {
  return {
    id: row.id,
    workflowId: row.workflow_id,
    version: row.number,
    label: row.label,
    // Only `refreshStatuses` and `archive` write this column.
    status: row.status as VersionStatus,
    activeIn: row.active_in,
    author: { id: row.author_id, name: row.author_name },
    changeSummary: row.change_summary,
    createdAt: row.created_at,
    revision: row.revision,
  };
}

async function change(
  tx: Tx,
  id: string,
  columns: { readonly label: string | null } | { readonly status: VersionStatus },
): Promise<void> {
  await tx
    .updateTable("workflow_versions")
    .set(columns)
    .set((row) => ({ revision: row("revision", "+", 1) }))
    .where("id", "=", id)
    .execute();
}
