/** The publication of an app in an environment: the member whose rights it uses, and its domain. */
import Type, { type Static } from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { failure } from "#kernel/operation/failure.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { AppId } from "../definition/app.ts";

const LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";

export const Domain = Type.String({
  pattern: `^${LABEL}(\\.${LABEL}){0,10}(:[0-9]{1,5})?$`,
  maxLength: 253,
  description: "A host name in lower case, with a port if it is not the default port",
});

export const Publication = Type.Object(
  {
    appId: AppId,
    environment: Type.Enum(["production", "staging", "development"]),
    publicBy: Type.String({ description: "The member whose permissions visitors use" }),
    domain: nullable(Domain),
    createdAt: Time,
  },
  { title: "AppPublication" },
);
export type Publication = Static<typeof Publication>;
export type StoredPublication = Publication & {
  readonly permissions: readonly string[] | null;
  readonly revision: number;
};

export const NotPublic = failure(
  "app_not_public",
  409,
  "The app is not public in this environment.",
);
export const DomainTaken = failure(
  "app_domain_taken",
  409,
  "Another app already uses this domain.",
  "app_publications_domain",
);
export const DomainElsewhere = failure(
  "app_domain_elsewhere",
  422,
  "This domain does not point to this installation.",
);

const COLUMNS = `
  app_id as "appId", environment, public_by as "publicBy", permissions, domain, created_at as "createdAt",
  revision`;

export async function findPublication(
  tx: Tx,
  appId: string,
): Promise<StoredPublication | undefined> {
  const text = `
    select ${COLUMNS} from app_publications
     where app_id = $1 and environment = current_setting('millrace.environment')::environment`;
  const [row] = await queryRows(tx, text, [appId]);
  return row as StoredPublication | undefined;
}

/** Locks the publication of an app for a change, if its state matches what the caller has seen. */
export async function lockPublication(
  ctx: WriteContext<never>,
  appId: string,
): Promise<StoredPublication | undefined> {
  const text = `select ${COLUMNS} from app_publications where app_id = $1 for update`;
  const [row] = await queryRows(ctx.tx, text, [appId]);
  const found = row as StoredPublication | undefined;
  if (found) ctx.expectRevision(found.revision);
  return found;
}

/** Publishes the app, or changes the member whose rights it uses. */
export async function putPublication(
  ctx: WriteContext<never>,
  { appId, publicBy, permissions }: Pick<StoredPublication, "appId" | "publicBy" | "permissions">,
): Promise<StoredPublication> {
  const [row] = await ctx.send<Record<string, unknown>>(
    `insert into app_publications (app_id, public_by, permissions, created_at) values ($1, $2, $3, $4)
     on conflict (workspace_id, environment, app_id) do update
       set public_by = excluded.public_by, permissions = excluded.permissions,
           revision = app_publications.revision + 1
     returning ${COLUMNS}`,
    [appId, publicBy, permissions, ctx.now],
  );
  return row as unknown as StoredPublication;
}

export async function setDomain(
  ctx: WriteContext<never>,
  appId: string,
  domain: string | null,
): Promise<StoredPublication | undefined> {
  const [row] = await ctx.send<Record<string, unknown>>(
    `update app_publications set domain = $2, revision = revision + 1 where app_id = $1 returning ${COLUMNS}`,
    [appId, domain],
  );
  return row as unknown as StoredPublication | undefined;
}

export async function deletePublication(
  ctx: WriteContext<never>,
  appId: string,
): Promise<StoredPublication | undefined> {
  const text = `delete from app_publications where app_id = $1 returning ${COLUMNS}`;
  const [row] = await ctx.send<Record<string, unknown>>(text, [appId]);
  return row as unknown as StoredPublication | undefined;
}

/** The publication in answers and events. */
export function toPublication({
  permissions: _,
  revision: __,
  ...rest
}: StoredPublication): Publication {
  return rest;
}
