/**
 * Packs bring content of many kinds: roles, tables, workflows. Each kind is contributed by the domain
 * that owns it, which declares how an item is created, read, replaced and removed within the transaction
 * that installs the pack, so that a pack is installed as a whole or not at all.
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
  /** Its name among the `resources` of a descriptor, plural. */
  readonly kind: string;
  /** The kinds whose items must be there first, since these may refer to them. */
  readonly after?: readonly string[];
  /** The permission to create one by hand, and so by a pack. */
  readonly permission: Permission;
  /** True when one is created in an environment, and not for the whole workspace. */
  readonly environmentScoped: boolean;
  /** Of one item, as a descriptor has it. */
  readonly schema: TSchema;
  /** The identity of an item from one version of a pack to the next. */
  readonly keyOf: (content: Content) => string;
  /** Runs before the transaction; the other items of its kind come with it. */
  readonly prepare?: (
    platform: Platform,
    content: Content,
    caller: Caller,
    beside: readonly Content[],
  ) => Promise<Prepared>;
  /** The id of an existing resource with its name, which would be in conflict. */
  readonly find: (ctx: PackContext, content: Content) => Promise<string | undefined>;
  /**
   * The part of it that a person may edit; undefined when it is gone. Being switched on or off is no part
   * of it.
   */
  readonly read: (ctx: PackContext, id: string) => Promise<object | undefined>;
  /** Creates it, and returns its id. */
  readonly create: (ctx: PackContext, content: Content, prepared: Prepared) => Promise<string>;
  /** Replaces one that nobody has edited; returns its id, which may be another. */
  readonly replace: (
    ctx: PackContext,
    id: string,
    content: Content,
    prepared: Prepared,
  ) => Promise<string>;
  /** Removes it; throws a `Failure` where it is in use. */
  readonly remove: (ctx: PackContext, id: string) => Promise<void>;
  /** The way back: what is there as content, for those who keep a workspace as code. */
  readonly source?: ContentSource<Content>;
}

export interface ContentSource<Content = never> {
  /** The ids of all there are, the oldest first. */
  readonly list: (ctx: SourceContext, limit: number) => Promise<readonly string[]>;
  /** One of them as a descriptor has it, with names where it can; undefined when it is gone. */
  readonly toContent: (ctx: SourceContext, id: string) => Promise<object | undefined>;
  /** The keys of items of the same kind that must be there first. */
  readonly needs?: (content: Content) => readonly string[];
  /** The one that content stands for, where `find` does not know. */
  readonly find?: (ctx: SourceContext, content: Content) => Promise<string | undefined>;
}

/** A transaction that reads content. */
export type SourceContext = Pick<PackContext, "tx" | "services" | "caller">;

/** Where domains contribute kinds of pack content. */
export const PackContentPoint = extensionPoint<PackContent>("kernel.pack_contents");

/** Declares a kind of content. */
export function packContent<Schema extends TSchema, Prepared = undefined>(
  about: Omit<PackContent<Static<Schema>, Prepared>, "schema"> & { readonly schema: Schema },
): PackContent {
  return about as unknown as PackContent;
}

/** The ids of a table, the oldest first. */
export async function listIds(
  tx: Tx,
  table: "apps" | "artifacts" | "roles" | "saved_queries" | "user_tables" | "webhooks",
  limit: number,
): Promise<readonly string[]> {
  const rows = await queryRows(tx, `select id from ${table} order by id limit $1`, [limit]);
  return rows.map(({ id }) => String(id));
}
