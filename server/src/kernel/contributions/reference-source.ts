/**
 * Where something is used: each domain says which of its own things name another, by a connector's id or a secret's
 * name.
 */
import { sql } from "kysely";
import type { Permission } from "../access/permission.ts";
import type { ReadContext } from "../contract.ts";
import type { Tx } from "../db/connection.ts";
import { contributionsTo, extensionPoint } from "../extension-point.ts";
import Type, { type Static } from "typebox";

/** Each kind names no more than this many. */
const REFERRERS_MAX = 50;

/** One kind of things that name others. */
export interface ReferenceSource {
  /** The resource type: `workflow`, `webhook`. */
  readonly kind: string;
  /** Without it the caller is told of none of them. */
  readonly permission: Permission;
  /** Those whose text matches a regular expression, which is always one of ours. */
  readonly find: (
    tx: Tx,
    pattern: string,
    limit: number,
  ) => Promise<readonly { readonly id: string; readonly name: string }[]>;
}

/** Where domains declare what names others. */
export const ReferenceSourcePoint = extensionPoint<ReferenceSource>("kernel.reference_sources");

/** A thing that names another. */
export const Referrer = Type.Object(
  {
    kind: Type.String({ description: "`workflow`, `webhook` and so on" }),
    id: Type.String(),
    name: Type.String(),
  },
  { title: "Referrer" },
);

/** Finds the rows of a small table by the text of some columns. */
export function findInTable(table: string, ...columns: readonly string[]): ReferenceSource["find"] {
  const text = sql.raw(columns.map((column) => `${column}::text`).join(" || ' ' || "));
  return async (tx, pattern, limit) => {
    const { rows } = await sql<{ id: string; name: string }>`
      select id, name from ${sql.table(table)} where ${text} ~ ${pattern}
       order by name, id limit ${limit}`.execute(tx);
    return rows;
  };
}

/** All things that match, as far as the caller may read them. */
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
