/** Usage of a resource: each domain finds which of its resources reference a connector id or a secret name. */
import { sql } from "kysely";
import type { Permission } from "../access/permission.ts";
import type { ReadContext } from "../contract.ts";
import type { Tx } from "../db/connection.ts";
import { contributionsTo, extensionPoint } from "../extension-point.ts";
import Type, { type Static } from "typebox";

/** The maximum number of referrers per kind. */
const REFERRERS_MAX = 50;

/** A resource type that can reference others. */
export interface ReferenceSource {
  /** The resource type: `workflow`, `webhook`. */
  readonly kind: string;
  /** Callers without this permission do not see the referrers. */
  readonly permission: Permission;
  /** Finds items whose text matches a regular expression. The expression never comes from a user. */
  readonly find: (
    tx: Tx,
    pattern: string,
    limit: number,
  ) => Promise<readonly { readonly id: string; readonly name: string }[]>;
}

/** Domains declare their referencing resources here. */
export const ReferenceSourcePoint = extensionPoint<ReferenceSource>("kernel.reference_sources");

/** A resource that references another. */
export const Referrer = Type.Object(
  {
    kind: Type.String({
      description: "Type of the referring resource, such as `workflow` or `webhook`",
    }),
    id: Type.String(),
    name: Type.String(),
  },
  { title: "Referrer" },
);

/** Finds the rows of a small table whose columns match. */
export function findInTable(table: string, ...columns: readonly string[]): ReferenceSource["find"] {
  const text = sql.raw(columns.map((column) => `${column}::text`).join(" || ' ' || "));
  return async (tx, pattern, limit) => {
    const { rows } = await sql<{ id: string; name: string }>`
      select id, name from ${sql.table(table)} where ${text} ~ ${pattern}
       order by name, id limit ${limit}`.execute(tx);
    return rows;
  };
}

/** All matching resources that the caller can read. */
export async function findReferrers(
  { tx, caller, services }: ReadContext,
  pattern: string,
): Promise<Static<typeof Referrer>[]> {
  const found: Static<typeof Referrer>[] = [];
  const sources = contributionsTo(ReferenceSourcePoint, services.contributions);
  for (const { kind, permission, find } of sources) {
    if (!caller.permissions.has(permission.name)) continue;
    for (const { id, name } of await find(tx, pattern, REFERRERS_MAX)) {
      found.push({ kind, id, name });
    }
  }
  return found;
}
