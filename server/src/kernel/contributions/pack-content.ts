/**
 * Packs contain content of many kinds: roles, tables, workflows. The domain that owns a kind declares how to
 * create, read, replace and remove an item in the transaction that installs the pack, so that a pack is
 * installed completely or not at all.
 */
import type { Static, TSchema } from "typebox";
import type { Caller, WorkspaceRef } from "../access/caller.ts";
import type { Platform, WriteContext } from "../contract.ts";
import type { Tx } from "../db/connection.ts";
import { queryRows } from "../db/statement.ts";
import { extensionPoint } from "../extension-point.ts";
import type { Permission } from "../access/permission.ts";

/** The transaction that installs or removes a pack. */
export type PackContext = WriteContext & { readonly workspace: WorkspaceRef };

export interface PackContent<Content = never, Prepared = never> {
  /** The plural name under `resources` in a descriptor. */
  readonly kind: string;
  /** Kinds that must be installed first because items of this kind can reference them. */
  readonly after?: readonly string[];
  /** The permission to create an item, also required to install a pack with one. */
  readonly permission: Permission;
  /** True if items belong to an environment, false if they belong to the workspace. */
  readonly environmentScoped: boolean;
  /** The schema of one item in a descriptor. */
  readonly schema: TSchema;
  /** Identifies an item across versions of a pack. */
  readonly keyOf: (content: Content) => string;
  /** Runs before the transaction, with the other items of the kind. */
  readonly prepare?: (
    platform: Platform,
    content: Content,
    caller: Caller,
    beside: readonly Content[],
  ) => Promise<Prepared>;
  /** The id of an existing resource with the same name, which would be a conflict. */
  readonly find: (ctx: PackContext, content: Content) => Promise<string | undefined>;
  /** The editable part of an item, without its enabled state. Undefined if it was deleted. */
  readonly read: (ctx: PackContext, id: string) => Promise<object | undefined>;
  /** Creates the item and returns its id. */
  readonly create: (ctx: PackContext, content: Content, prepared: Prepared) => Promise<string>;
  /** Replaces an unedited item. Returns its id, which can change. */
  readonly replace: (
    ctx: PackContext,
    id: string,
    content: Content,
    prepared: Prepared,
  ) => Promise<string>;
  /** Removes the item. Throws a `Failure` if it is in use. */
  readonly remove: (ctx: PackContext, id: string) => Promise<void>;
  /** Exports existing items as content, for workspaces as code. */
  readonly source?: ContentSource<Content>;
}

export interface ContentSource<Content = never> {
  /** The ids of all items, oldest first. */
  readonly list: (ctx: SourceContext, limit: number) => Promise<readonly string[]>;
  /** An item in descriptor format, with names instead of ids if possible. Undefined if it was deleted. */
  readonly toContent: (ctx: SourceContext, id: string) => Promise<object | undefined>;
  /** The keys of items of the same kind that must be created first. */
  readonly needs?: (content: Content) => readonly string[];
  /** Finds the item for a content, if `find` of the kind cannot. */
  readonly find?: (ctx: SourceContext, content: Content) => Promise<string | undefined>;
}

/** A transaction that reads content. */
export type SourceContext = Pick<PackContext, "tx" | "services" | "caller">;

/** Domains contribute kinds of pack content here. */
export const PackContentPoint = extensionPoint<PackContent>("kernel.pack_contents");

/** Declares a kind of content. */
export function packContent<Schema extends TSchema, Prepared = undefined>(
  about: Omit<PackContent<Static<Schema>, Prepared>, "schema"> & { readonly schema: Schema },
): PackContent {
  return about as unknown as PackContent;
}

/** The ids of a table, oldest first. */
export async function listIds(
  tx: Tx,
  table: "apps" | "artifacts" | "roles" | "saved_queries" | "user_tables" | "webhooks",
  limit: number,
): Promise<readonly string[]> {
  const rows = await queryRows(tx, `select id from ${table} order by id limit $1`, [limit]);
  return rows.map(({ id }) => String(id));
}
