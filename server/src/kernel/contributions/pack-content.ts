/**
 * Packs bring content of many kinds: roles, tables, workflows. Each kind is contributed by the domain
 * that owns it, which says how one piece is made, read, replaced and removed within the transaction of
 * whoever installs the pack, so that a pack is installed as a whole or not at all.
 */
import type { Static, TSchema } from "typebox";
import type { Caller, WorkspaceRef } from "../access/caller.ts";
import type { Platform, WriteContext } from "../contract.ts";
import { extensionPoint } from "../extension-point.ts";
import type { Permission } from "../access/permission.ts";

/** The transaction of whoever installs or removes a pack. */
export type PackContext = WriteContext & { readonly workspace: WorkspaceRef };

export interface PackContent<Content = never, Prepared = never> {
  /** Its name among the `resources` of a descriptor, plural. */
  readonly kind: string;
  /** The kinds whose pieces must be there first, since these may name them. */
  readonly after?: readonly string[];
  /** What somebody must hold to make one by hand, and so by a pack. */
  readonly permission: Permission;
  /** Whether one is made in an environment, and not for the whole workspace. */
  readonly environmentScoped: boolean;
  /** Of one piece, as a descriptor has it. */
  readonly schema: TSchema;
  /** What a piece is known by from one version of a pack to the next. */
  readonly keyOf: (content: Content) => string;
  /** What must not happen inside a transaction. */
  readonly prepare?: (platform: Platform, content: Content, caller: Caller) => Promise<Prepared>;
  /** Whatever stands in the way of making it: the id of what has its name already. */
  readonly find: (ctx: PackContext, content: Content) => Promise<string | undefined>;
  /**
   * What of it a person may have edited; undefined when it is gone. What is merely switched on and off
   * is no part of it.
   */
  readonly read: (ctx: PackContext, id: string) => Promise<object | undefined>;
  /** Makes it, and tells its id. */
  readonly create: (ctx: PackContext, content: Content, prepared: Prepared) => Promise<string>;
  /** Makes one that nobody has edited what it is now to be; tells its id, which may be another. */
  readonly replace: (
    ctx: PackContext,
    id: string,
    content: Content,
    prepared: Prepared,
  ) => Promise<string>;
  /** Removes it; throws a `Failure` where it is in use. */
  readonly remove: (ctx: PackContext, id: string) => Promise<void>;
}

/** Where domains say what packs may bring. */
export const PackContentPoint = extensionPoint<PackContent>("kernel.pack_contents");

/** Declares a kind of content. */
export function packContent<Schema extends TSchema, Prepared = undefined>(
  about: Omit<PackContent<Static<Schema>, Prepared>, "schema"> & { readonly schema: Schema },
): PackContent {
  return about as unknown as PackContent;
}
