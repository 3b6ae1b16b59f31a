import type { UnattendedItem, UnattendedWork } from "#kernel/contributions/unattended-work.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { type SqlRow, queryRows } from "#kernel/db/statement.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import type { AppSummary, AppWithEnvironments, StoredApp } from "../definition/app.ts";
import type { Deployment, FullDeployment, Snapshot } from "./deployment.ts";

const CURRENT_ENVIRONMENT = "current_setting('millrace.environment')::environment";
const COLUMNS = `
  d.id, d.app_id as "appId", d.environment, d.number, d.notes, d.deployed_by as "deployedBy",
  d.created_at as "createdAt", coalesce(l.deployment_id = d.id, false) as live`;
const FROM = `
  app_deployments d left join app_live_deployments l
    on l.app_id = d.app_id and l.environment = d.environment`;

/* The columns of these statements have the names of the fields. */

/** The live deployment of an app in this environment, and the previous one. */
export interface LiveDeployment {
  readonly deploymentId: string;
  readonly previousDeploymentId: string | null;
}

const LIVE = `
  select app_id, environment, deployment_id, number, since from app_live_deployments
   where app_id = any($1)`;
const ERRORS = `
  select app_id, environment, sum(count)::int as count from app_errors
   where app_id = any($1) and last_at > $2::timestamptz - interval '1 hour' group by 1, 2`;

/** Adds the live deployments in all environments. */
export async function withEnvironments(tx: Tx, app: StoredApp): Promise<AppWithEnvironments> {
  const rows = await queryRows(tx, LIVE, [[app.id]]);
  return { ...app, environments: toEnvironments(rows, app.id) };
}

/** Adds to the apps of a list where they are deployed, and the number of errors there in the last hour. */
export async function describeApps<App extends { readonly id: string }>(
  { tx, now }: Pick<ReadContext, "tx" | "now">,
  apps: readonly App[],
): Promise<(App & Pick<AppSummary, "environments" | "errors">)[]> {
  if (apps.length === 0) return [];
  const ids = apps.map(({ id }) => id);
  const [live, errors] = await Promise.all([
    queryRows(tx, LIVE, [ids]),
    queryRows(tx, ERRORS, [ids, now]),
  ]);
  return apps.map((app) => {
    const countIn = (environment: string): number =>
      Number(findIn(errors, app.id, environment)?.["count"] ?? 0);
    return { ...app, environments: toEnvironments(live, app.id), errors: perEnvironment(countIn) };
  });
}

function toEnvironments(rows: readonly SqlRow[], appId: string) {
  return perEnvironment((environment) => {
    const row = findIn(rows, appId, environment);
    if (!row) return null;
    const { deployment_id, number, since } = row;
    return { deploymentId: String(deployment_id), number: Number(number), since: String(since) };
  });
}

function findIn(rows: readonly SqlRow[], appId: string, environment: string): SqlRow | undefined {
  return rows.find((row) => row["app_id"] === appId && row["environment"] === environment);
}

function perEnvironment<T>(valueIn: (environment: string) => T) {
  return {
    production: valueIn("production"),
    staging: valueIn("staging"),
    development: valueIn("development"),
  };
}

export async function findLive(tx: Tx, appId: string): Promise<LiveDeployment | undefined> {
  const text = `
    select deployment_id as "deploymentId", previous_deployment_id as "previousDeploymentId"
      from app_live_deployments where app_id = $1 and environment = ${CURRENT_ENVIRONMENT}`;
  const [row] = await queryRows(tx, text, [appId]);
  return row as LiveDeployment | undefined;
}

export async function find(tx: Tx, appId: string, id: string): Promise<FullDeployment | undefined> {
  const text = `select ${COLUMNS}, d.snapshot from ${FROM} where d.app_id = $1 and d.id = $2`;
  const [row] = await queryRows(tx, text, [appId, id]);
  return row as FullDeployment | undefined;
}

export async function get(tx: Tx, appId: string, id: string): Promise<FullDeployment> {
  const found = await find(tx, appId, id);
  if (!found) throw new Failure(NotFound);
  return found;
}

/** Lists deployments, newest first, before a number. */
export async function list(
  tx: Tx,
  appId: string,
  page: { readonly before: number; readonly limit: number },
): Promise<Deployment[]> {
  const text = `
    select ${COLUMNS} from ${FROM}
     where d.app_id = $1 and d.number < $2 order by d.number desc limit $3`;
  const rows: SqlRow[] = await queryRows(tx, text, [appId, page.before, page.limit]);
  return rows as unknown as Deployment[];
}

const INSERT = `
  insert into app_deployments (id, app_id, number, snapshot, notes, deployed_by, created_at, permissions)
  values ($1, $2, (select coalesce(max(number), 0) + 1 from app_deployments where app_id = $2), $3, $4,
          $5, $6, $7)
  returning number, environment`;

/** Returns the next deployment number; the caller holds the lock of the app's row. */
export async function insert(
  ctx: WriteContext<never>,
  deployment: Pick<Deployment, "id" | "appId" | "notes" | "deployedBy"> & {
    readonly snapshot: Snapshot;
    readonly permissions: readonly string[] | null;
  },
): Promise<Pick<Deployment, "number" | "environment">> {
  const { id, appId, snapshot, notes, deployedBy, permissions } = deployment;
  const values = [id, appId, JSON.stringify(snapshot), notes, deployedBy, ctx.now, permissions];
  const [row] = await ctx.send<Pick<Deployment, "number" | "environment">>(INSERT, values);
  if (!row) throw new Error("An insert returned nothing.");
  return row;
}

const GO_LIVE = `
  insert into app_live_deployments (app_id, deployment_id, number, since) values ($1, $2, $3, $4)
  on conflict (app_id, environment) do update
    set previous_deployment_id =
          case when app_live_deployments.deployment_id = excluded.deployment_id
               then app_live_deployments.previous_deployment_id
               else app_live_deployments.deployment_id end,
        deployment_id = excluded.deployment_id, number = excluded.number, since = excluded.since`;

export function setLive(
  ctx: WriteContext<never>,
  { appId, id, number }: Pick<Deployment, "appId" | "id" | "number">,
): void {
  void ctx.send(GO_LIVE, [appId, id, number, ctx.now]);
}

/** The app that is served under a slug in this environment. */
export interface ServedApp {
  readonly appId: string;
  readonly slug: string;
  readonly deploymentId: string;
  readonly snapshot: Snapshot;
  readonly deployedBy: string;
  /** The permissions of the token that deployed it; null for all permissions of its deployer. */
  readonly permissions: readonly string[] | null;
}

const FIND_SERVED = `
  select a.id as "appId", a.slug, d.id as "deploymentId", d.snapshot, d.deployed_by as "deployedBy",
         d.permissions
    from apps a
    join app_live_deployments l on l.app_id = a.id and l.environment = ${CURRENT_ENVIRONMENT}
    join app_deployments d on d.id = l.deployment_id
   where a.slug = $1 and a.status = 'active'`;

export async function findServed(tx: Tx, slug: string): Promise<ServedApp | undefined> {
  const [row] = await queryRows(tx, FIND_SERVED, [slug]);
  return row as ServedApp | undefined;
}

/** A deployed app in a list. */
export interface ServedAppEntry {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
}

const LIST_SERVED = `
  select a.slug, d.snapshot ->> 'name' as name, coalesce(a.description, '') as description
    from apps a
    join app_live_deployments l on l.app_id = a.id and l.environment = ${CURRENT_ENVIRONMENT}
    join app_deployments d on d.id = l.deployment_id
   where a.status = 'active' and (d.snapshot ->> 'name', a.slug) > ($1, $2)
   order by name, a.slug limit $3`;

/** The deployed apps of this environment, sorted by name and slug, after a position. */
export async function listServed(
  tx: Tx,
  { name, slug }: { readonly name: string; readonly slug: string },
  limit: number,
): Promise<ServedAppEntry[]> {
  return queryRows<ServedAppEntry>(tx, LIST_SERVED, [name, slug, limit]);
}

/** Live apps that use the rights of a member, and public apps that visitors use with their rights. */
export const unattendedApps: UnattendedWork = {
  kind: "app",
  list: async (tx, userId, limit) =>
    await queryRows<UnattendedItem>(tx, UNATTENDED, [userId, limit]),
};

const UNATTENDED = `
  select a.id, a.name, l.environment
    from app_live_deployments l
    join app_deployments d on d.id = l.deployment_id join apps a on a.id = l.app_id
   where d.deployed_by = $1 and a.status = 'active'
  union
  select a.id, a.name, p.environment from app_publications p join apps a on a.id = p.app_id
   where p.public_by = $1 and a.status = 'active' order by 1 limit $2`;
