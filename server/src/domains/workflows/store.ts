import type { UnattendedItem, UnattendedWork } from "#kernel/contributions/unattended-work.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { activeMemberSql } from "#domains/identity/accounts/index.ts";
import { type Insertable, sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { Database, EnvironmentName } from "#kernel/db/database.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Tables } from "../../tables.ts";
import type { Definition } from "./definition/index.ts";
import { isPageToken, type PageType, workflowOfPage } from "./page-token.ts";
import type { DefinitionOutline, StoredWorkflow, WorkflowSummary } from "./workflow.ts";

type Table = Tables["workflows"];

/** The filters and the page of a list. */
export interface WorkflowQuery {
  readonly status: WorkflowSummary["status"] | undefined;
  /** Part of the name. */
  readonly q: string | undefined;
  readonly tag: string | undefined;
  readonly ids?: readonly string[] | undefined;
  /** Only active workflows that do not start because their deployer left. */
  readonly orphanedIn?: EnvironmentName | undefined;
  /** Only workflows with a smaller id. */
  readonly before: string;
  readonly limit: number;
}

export async function insert(tx: Tx, row: Insertable<Table>): Promise<void> {
  await tx.insertInto("workflows").values(row).execute();
}

export async function get(tx: Tx, id: string): Promise<StoredWorkflow> {
  const row = await rows(tx).select("w.definition").where("w.id", "=", id).executeTakeFirst();
  if (!row) throw new Failure(NotFound);
  // Only checked definitions are stored.
  return toWorkflow(row, row.definition as Definition);
}

/** The ids of unarchived workflows with this name, at most two. */
export async function findIdsByName(tx: Tx, name: string): Promise<string[]> {
  const found = await tx
    .selectFrom("workflows")
    .select("id")
    .where("name", "=", name)
    .where("archived_at", "is", null)
    .orderBy("id")
    .limit(2)
    .execute();
  return found.map(({ id }) => id);
}

/** Locks the row until the transaction ends. */
export async function lock(tx: Tx, id: string): Promise<StoredWorkflow> {
  // Locked separately because a statement waiting for the lock reads stale rows from other tables.
  await tx.selectFrom("workflows").select("id").where("id", "=", id).forUpdate().execute();
  return get(tx, id);
}

export async function update(
  tx: Tx,
  id: string,
  change: Partial<Pick<Insertable<Table>, "name" | "definition" | "newest" | "archived_at">> & {
    readonly updated_at: Date;
  },
): Promise<void> {
  await tx
    .updateTable("workflows")
    .set(change)
    .set((row) => ({ revision: row("revision", "+", 1) }))
    .where("id", "=", id)
    .execute();
}

/** Newest first, without graphs. Includes archived workflows only on request. */
export async function list(
  tx: Tx,
  query: WorkflowQuery,
): Promise<StoredWorkflow<DefinitionOutline>[]> {
  const { status, q, tag, ids, orphanedIn: environment, before, limit } = query;
  let found = rows(tx)
    .select(sql<DefinitionOutline>`w.definition - 'nodes' - 'edges'`.as("outline"))
    .where("w.archived_at", status === "archived" ? "is not" : "is", null)
    .where("w.id", "<", before);
  if (status === "active") found = found.where(ENABLED_SOMEWHERE);
  if (status === "inactive") found = found.where(sql<boolean>`not ${ENABLED_SOMEWHERE}`);
  if (ids !== undefined) found = found.where("w.id", "in", ids);
  if (environment !== undefined) found = found.where(orphanedIn(environment));
  if (q !== undefined) found = found.where("w.name", "ilike", containsPattern(q));
  if (tag !== undefined) found = found.where(sql<boolean>`w.definition -> 'tags' ? ${tag}`);
  const page = await found.orderBy("w.id", "desc").limit(limit).execute();
  return page.map((row) => toWorkflow(row, row.outline));
}

/** Lists the names of active workflows, newest first. */
export async function listNames(tx: Tx, { q, limit }: Pick<WorkflowQuery, "q" | "limit">) {
  let found = tx
    .selectFrom("workflows as w")
    .select([
      "w.id",
      "w.name",
      sql<string | null>`w.definition ->> 'description'`.as("description"),
    ])
    .where("w.archived_at", "is", null);
  if (q !== undefined) found = found.where("w.name", "ilike", containsPattern(q));
  return found.orderBy("w.id", "desc").limit(limit).execute();
}

function containsPattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
}

/** The ids that do not exist. */
export async function findMissing(tx: Tx, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const found = await tx.selectFrom("workflows").select("id").where("id", "in", ids).execute();
  const known = new Set(found.map(({ id }) => id));
  return ids.filter((id) => !known.has(id));
}

export async function count(tx: Tx): Promise<number> {
  const { n } = await tx
    .selectFrom("workflows")
    .select((row) => row.fn.countAll<number>().as("n"))
    .where("archived_at", "is", null)
    .executeTakeFirstOrThrow();
  return n;
}

/** The deployment started by a request to a webhook address. */
export interface HookDeployment {
  readonly workspace: string;
  readonly workflowId: string;
  readonly versionId: string;
  readonly deployedBy: string;
  readonly permissions: readonly string[] | undefined;
}

/** The requested address of a webhook or page. */
export interface HookAddress {
  readonly slug: string;
  readonly token: string;
  readonly type: "webhook" | PageType;
  readonly environment: EnvironmentName;
}

/** Finds the deployment of an address in any workspace, if its trigger is active. */
export async function findByHook(
  db: Database,
  { slug, token, type, environment }: HookAddress,
): Promise<HookDeployment | undefined> {
  const workflowId = type === "webhook" ? undefined : workflowOfPage(token);
  if (type !== "webhook" && workflowId === undefined) return undefined;
  const [row] = await db.system<HookDeploymentRow>(
    `select w.workspace_id as workspace, w.id as "workflowId", w.hook_token as "hookToken",
            d.version_id as "versionId", d.deployed_by as "deployedBy", d.permissions
       from workflows w
       join workspaces s on s.key = w.workspace_id
       join workflow_deployments d on d.workflow_id = w.id and d.environment = $3::environment
      where ${type === "webhook" ? "w.hook_token" : "w.id"} = $2 and s.slug = $1
        and w.archived_at is null and d.enabled and exists (
          select from workflow_triggers t
           where t.workflow_id = d.workflow_id and t.environment = d.environment and t.type = $4)
        and ${activeMemberSql("d.deployed_by", "w.workspace_id")}`,
    [slug, workflowId ?? token, environment, type],
  );
  if (!row) return undefined;
  const { hookToken, permissions, ...deployment } = row;
  if (type !== "webhook" && !isPageToken(token, { ...deployment, hookToken }, type)) {
    return undefined;
  }
  return { ...deployment, permissions: permissions ?? undefined };
}

/** The name in a workflow address: the webhook token, or the workflow id at the start of a page token. */
export function hookNameOf({ type, token }: Pick<HookAddress, "type" | "token">): string {
  return type === "webhook" ? token : (workflowOfPage(token) ?? "");
}

/** The address names of all or some workflows in all workspaces. Undefined if there are too many. */
export async function listHookNames(
  db: Database,
  workflowsMax: number,
  workflowIds?: readonly string[],
): Promise<readonly string[] | undefined> {
  const some = workflowIds ? "where id = any($2::text[])" : "";
  const rows = await db.system<{ id: string; token: string }>(
    `select id, hook_token as token from workflows ${some} limit $1`,
    [workflowsMax + 1, ...(workflowIds ? [workflowIds] : [])],
  );
  return rows.length > workflowsMax ? undefined : rows.flatMap(({ id, token }) => [id, token]);
}

interface HookDeploymentRow extends Omit<HookDeployment, "permissions"> {
  readonly hookToken: string;
  readonly permissions: readonly string[] | null;
}

const ENABLED_SOMEWHERE = sql<boolean>`exists (
  select from workflow_deployments d where d.workflow_id = w.id and d.enabled)`;

/** SQL condition: the workflow is active in an environment but does not start because its deployer left. */
const orphanedIn = (environment: EnvironmentName) => sql<boolean>`exists (
  select from workflow_deployments d
   where d.workflow_id = w.id and d.environment = ${environment}::environment and d.enabled
     and not ${sql.raw(activeMemberSql("d.deployed_by", "d.workspace_id"))})`;

const ENVIRONMENTS = sql<Partial<WorkflowSummary["environments"]> | null>`(
  select jsonb_object_agg(d.environment,
           jsonb_build_object('versionId', d.version_id, 'version', v.number, 'enabled', d.enabled,
             'orphaned', not ${sql.raw(activeMemberSql("d.deployed_by", "d.workspace_id"))},
             'deployedBy', jsonb_build_object('id', d.deployed_by, 'name', coalesce(u.name, ''))))
    from workflow_deployments d join workflow_versions v on v.id = d.version_id
         left join users u on u.id = d.deployed_by
   where d.workflow_id = w.id)`;

const NEWEST = sql<StoredWorkflow["newest"]>`(
  select jsonb_build_object('id', v.id, 'version', v.number, 'label', v.label, 'status', v.status)
    from workflow_versions v where v.workflow_id = w.id and v.number = w.newest)`;

function rows(tx: Tx) {
  return tx
    .selectFrom("workflows as w")
    .select(["w.id", "w.hook_token", "w.archived_at", "w.revision"])
    .select(["w.created_by", "w.created_at", "w.updated_at"])
    .select([
      ENVIRONMENTS.as("environments"),
      NEWEST.as("newest"),
      ENABLED_SOMEWHERE.as("enabled"),
    ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof rows>["executeTakeFirstOrThrow"]>>;

function toWorkflow<D>(row: Row, definition: D): StoredWorkflow<D> {
  const status = row.archived_at === null ? (row.enabled ? "active" : "inactive") : "archived";
  return {
    id: row.id,
    definition,
    status,
    newest: row.newest,
    environments: { production: null, staging: null, development: null, ...row.environments },
    hookToken: row.hook_token,
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    revision: row.revision,
  };
}

/** Workflows that act in the name of a member. */
export const unattendedWorkflows: UnattendedWork = {
  kind: "workflow",
  list: async (tx, userId, limit) =>
    await queryRows<UnattendedItem>(tx, UNATTENDED, [userId, limit]),
};

const UNATTENDED = `
  select w.id, w.name, d.environment
    from workflow_deployments d join workflows w on w.id = d.workflow_id
   where d.deployed_by = $1 and w.archived_at is null order by w.id limit $2`;
