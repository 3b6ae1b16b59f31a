/**
 * Platform rows that users' SQL can read in addition to workspace tables: database views, contributed by the
 * domain that owns the rows and defines who can see them.
 */
import type { Caller } from "../access/caller.ts";
import type { Permission } from "../access/permission.ts";
import type { Platform } from "../contract.ts";
import type { SqlParameters } from "../db/statement.ts";
import { contributionsTo, extensionPoint } from "../extension-point.ts";

export interface SqlViewColumn {
  readonly name: string;
  /** The PostgreSQL type. */
  readonly type: string;
}

export interface SqlViewRequest {
  readonly platform: Platform;
  readonly caller: Caller;
}

export interface SqlView {
  /** The name in statements. The database view is `sql_views.<name>`. */
  readonly name: string;
  readonly summary: string;
  /** The permission to read the rows. */
  readonly permission: Permission;
  readonly columns: readonly SqlViewColumn[];
  /**
   * SQL that is true for rows (`e`) visible to a caller with the permission. Undefined if all are visible,
   * false if none are.
   */
  readonly visible?: (
    request: SqlViewRequest,
    parameters: SqlParameters,
  ) => Promise<string | undefined | false>;
}

/** Domains contribute views here. */
export const SqlViewPoint = extensionPoint<SqlView>("kernel.sql_views");

/** A view with the caller's access rules applied. */
export interface OpenSqlView extends Pick<SqlView, "name" | "columns"> {
  readonly from: string;
  readonly where: string | undefined;
}

/** Opens a view. Undefined if it does not exist or the caller cannot see any of its rows. */
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

/** Declares the columns of a view, one line per type. */
export function viewColumns(types: Readonly<Record<string, string>>): readonly SqlViewColumn[] {
  return Object.entries(types).flatMap(([type, names]) =>
    names.split(" ").map((column) => ({ name: column, type })),
  );
}
