/**
 * Rows of the platform that people's SQL may read, beside their own tables: views in the database, each contributed by
 * the domain that owns the rows, which says who sees which of them.
 */
import type { Caller } from "../access/caller.ts";
import type { Permission } from "../access/permission.ts";
import type { Platform } from "../contract.ts";
import type { SqlParameters } from "../db/statement.ts";
import { contributionsTo, extensionPoint } from "../extension-point.ts";

export interface SqlViewColumn {
  readonly name: string;
  /** As PostgreSQL names it. */
  readonly type: string;
}

export interface SqlViewRequest {
  readonly platform: Platform;
  readonly caller: Caller;
}

export interface SqlView {
  /** In statements; the view in the database is `sql_views.<name>`. */
  readonly name: string;
  readonly summary: string;
  /** The permission to see such rows. */
  readonly permission: Permission;
  readonly columns: readonly SqlViewColumn[];
  /**
   * SQL that is true for the rows (`e`) that the caller sees; undefined when it is for all, false when for none. For
   * callers who have the permission.
   */
  readonly visible?: (
    request: SqlViewRequest,
    parameters: SqlParameters,
  ) => Promise<string | undefined | false>;
}

/** Where domains contribute views. */
export const SqlViewPoint = extensionPoint<SqlView>("kernel.sql_views");

/** A view as one caller sees it. */
export interface OpenSqlView extends Pick<SqlView, "name" | "columns"> {
  readonly from: string;
  readonly where: string | undefined;
}

/** Opens a view; undefined where there is none, or the caller may see none of its rows. */
export async function openSqlView(
  request: SqlViewRequest,
  name: string,
  parameters: SqlParameters,
): Promise<OpenSqlView | undefined> {
  const view = contributionsTo(SqlViewPoint, request.platform.contributions).find(
    (candidate) => candidate.name === name,
  );
  if (!view || !request.caller.permissions.has(view.permission.name)) return undefined;
  const where = await view.visible?.(request, parameters);
  if (where === false) return undefined;
  return { name, columns: view.columns, from: `sql_views."${name}"`, where };
}

/** Declares the columns of a view by one line for each type. */
export function viewColumns(types: Readonly<Record<string, string>>): readonly SqlViewColumn[] {
  return Object.entries(types).flatMap(([type, names]) =>
    names.split(" ").map((column) => ({ name: column, type })),
  );
}
