import type { Insertable, Selectable, Updateable } from "kysely";
import { permission } from "#kernel/access/permission.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { Database } from "#kernel/db/database.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Tables } from "../../../../tables.ts";
import type { Application } from "./application.ts";

type Row = Selectable<Tables["oauth_applications"]>;

/** An application as found before authentication, outside any workspace. */
export interface Client {
  readonly clientId: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly allowedScopes: readonly string[];
  /** Null for a client that registered itself. */
  readonly secretHash: Buffer | null;
  /** Null for a client that registered itself: it is usable in every workspace where a person consents. */
  readonly workspace: ClientWorkspace | null;
  /** The URL of its document, which is its public client id. */
  readonly documentUrl: string | null;
}

/** A workspace, as the pages before a login show it. */
export interface ClientWorkspace {
  readonly key: string;
  readonly slug: string;
  readonly name: string;
  readonly singleSignOn: boolean;
}

const CLIENT = `
  select a.client_id as "clientId", a.name, a.redirect_uris as "redirectUris",
         a.allowed_scopes as "allowedScopes", a.secret_hash as "secretHash", a.document_url as "documentUrl",
         case when w.key is not null then json_build_object('key', w.key, 'slug', w.slug, 'name', w.name,
           'singleSignOn', exists (select from sso_configurations s where s.workspace_id = w.key)) end as workspace
    from oauth_applications a left join workspaces w on w.key = a.workspace_id
   where `;

/** Finds a client by its id, or by the URL of its document. */
export async function findClient(db: Database, clientId: string): Promise<Client | undefined> {
  const column = clientId.startsWith("https://") ? "a.document_url" : "a.client_id";
  return (await db.system<Client>(`${CLIENT}${column} = $1`, [clientId]))[0];
}

const WORKSPACE = `
  select w.key, w.slug, w.name,
         exists (select from sso_configurations s where s.workspace_id = w.key) as "singleSignOn"
    from workspaces w where w.slug = $1`;

export async function findWorkspace(
  db: Database,
  slug: string,
): Promise<ClientWorkspace | undefined> {
  return (await db.system<ClientWorkspace>(WORKSPACE, [slug]))[0];
}

export async function insert(
  tx: Tx,
  row: Insertable<Tables["oauth_applications"]>,
): Promise<Application> {
  return toApplication(
    await tx.insertInto("oauth_applications").values(row).returningAll().executeTakeFirstOrThrow(),
  );
}

export async function find(tx: Tx, clientId: string): Promise<Application | undefined> {
  const row = await byId(tx, clientId).executeTakeFirst();
  return row && toApplication(row);
}

/** Reads an application of this workspace: a self-registered client has no secret. */
export async function get(tx: Tx, clientId: string): Promise<Application> {
  return requireApplication(await ownById(tx, clientId).executeTakeFirst());
}

/** Saves the row of a client from its current document; created with the first consent. */
export async function putDocumentClient(
  tx: Tx,
  client: Pick<Application, "name" | "redirectUris" | "allowedScopes"> & {
    readonly newId: string;
    readonly documentUrl: string;
    readonly now: Date;
  },
): Promise<Application> {
  const { newId, documentUrl, name, redirectUris, allowedScopes, now } = client;
  const known = {
    name,
    redirect_uris: [...redirectUris],
    allowed_scopes: [...allowedScopes],
    updated_at: now,
  };
  const row = await tx
    .insertInto("oauth_applications")
    .values({
      client_id: newId,
      workspace_id: null,
      secret_hash: null,
      document_url: documentUrl,
      created_at: now,
      ...known,
    })
    .onConflict((conflict) => conflict.column("document_url").doUpdateSet(known))
    .returningAll()
    .executeTakeFirstOrThrow();
  return toApplication(row);
}

/**
 * Locks an application of the workspace until the transaction ends. Clients without a workspace are shared and
 * cannot be changed.
 */
export async function lock(tx: Tx, clientId: string): Promise<Application> {
  return requireApplication(await ownById(tx, clientId).forUpdate().executeTakeFirst());
}

export async function list(
  tx: Tx,
  page: { readonly after: string; readonly limit: number },
): Promise<Application[]> {
  const rows = await tx
    .selectFrom("oauth_applications")
    .selectAll()
    .where("client_id", ">", page.after)
    .where("secret_hash", "is not", null)
    .orderBy("client_id")
    .limit(page.limit)
    .execute();
  return rows.map(toApplication);
}

export async function update(
  tx: Tx,
  clientId: string,
  change: Updateable<Tables["oauth_applications"]>,
): Promise<Application> {
  return toApplication(
    await tx
      .updateTable("oauth_applications")
      .set(change)
      .set((row) => ({ revision: row("revision", "+", 1) }))
      .where("client_id", "=", clientId)
      .returningAll()
      .executeTakeFirstOrThrow(),
  );
}

/** Deletes the application, and by cascade its grants and their tokens. */
export async function remove(tx: Tx, clientId: string): Promise<void> {
  await tx.deleteFrom("oauth_applications").where("client_id", "=", clientId).execute();
}

function byId(tx: Tx, clientId: string) {
  return tx.selectFrom("oauth_applications").selectAll().where("client_id", "=", clientId);
}

function ownById(tx: Tx, clientId: string) {
  return byId(tx, clientId).where("secret_hash", "is not", null);
}

function requireApplication(row: Row | undefined): Application {
  if (!row) throw new Failure(NotFound);
  return toApplication(row);
}

function toApplication(row: Row): Application {
  return {
    clientId: row.client_id,
    name: row.name,
    redirectUris: row.redirect_uris,
    allowedScopes: row.allowed_scopes,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    revision: row.revision,
  };
}

export const ApplicationsRead = permission("oauth_applications:read", "View OAuth applications", [
  "builder",
  "auditor",
]);
export const ApplicationsWrite = permission(
  "oauth_applications:write",
  "Register, update and delete OAuth applications",
  ["builder"],
);
