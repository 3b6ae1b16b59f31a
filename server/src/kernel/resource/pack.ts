import type { Platform } from "../contract.ts";
import type { Static, TObject, TSchema } from "typebox";
import type { EventType } from "../log/event.ts";
import {
  type ContentSource,
  type PackContent,
  packContent,
  type PackContext,
  type SourceContext,
} from "../contributions/pack-content.ts";
import type { Caller } from "../access/caller.ts";
import type { Item, Resource, ResourceInput } from "./declaration.ts";
import type { ResourceStore } from "./store.ts";

interface ResourcePack<
  Input extends TObject,
  Change extends TObject,
  Content extends TSchema,
  Prepared,
  Stored,
> {
  /** The name under `resources` in a descriptor. Default: the plural. */
  readonly kind?: string;
  /** The schema of an item in a descriptor: the POST body, possibly with names instead of ids. */
  readonly schema: Content;
  /** Kinds that must be installed first because items of this kind can reference them. */
  readonly after?: readonly string[];
  /** True if items belong to an environment, false if they belong to the workspace. */
  readonly environmentScoped: boolean;
  /** Fields that the workspace controls, such as the enabled state. */
  readonly unmanaged?: readonly (keyof Static<Input>)[];
  /** Checks outside the transaction. */
  readonly prepare?: (
    platform: Platform,
    content: Static<Content>,
    caller: Caller,
  ) => Promise<Prepared | undefined>;
  /** Finds an existing item for the content, if not by its name. */
  readonly find?: (ctx: PackContext, content: Static<Content>) => Promise<Stored | undefined>;
  /** The POST body for an item of the pack. Null removes a part of a replaced item. */
  readonly toInput?: (
    ctx: PackContext,
    content: Static<Content>,
  ) => Promise<ResourceInput<Input, Change>>;
  /** The editable parts of an item. Default: the fields of the POST body. */
  readonly toContent?: (item: Stored) => object;
  /** The item in descriptor format, if that references others by name. */
  readonly toSource?: (ctx: SourceContext, item: Stored) => Promise<object>;
}

/** Resource items in packs, identified by name. */
export function resourcePack<
  Name extends string,
  S extends TObject,
  Input extends TObject,
  Change extends TObject,
  Row extends TObject,
  Prepared,
  E extends EventType,
  Content extends TSchema,
>(
  {
    declaration,
    store,
    create,
    update,
    remove,
  }: Resource<Name, S, Input, Change, Row, Prepared, E>,
  pack: ResourcePack<Input, Change, Content, Prepared, Item<S, Row>>,
): PackContent {
  const unmanaged = new Set<PropertyKey>(pack.unmanaged);
  const managed = (fields: object) =>
    Object.fromEntries(Object.entries(fields).filter(([field]) => !unmanaged.has(field)));
  const nameOf = (content: unknown) => (content as Named).name;
  const idOf = (item: unknown) => (item as Named).id;
  const toInput = async (ctx: PackContext, content: Static<Content>) =>
    (await pack.toInput?.(ctx, content)) ?? content;
  const find = (ctx: PackContext, content: Static<Content>) =>
    pack.find?.(ctx, content) ?? store.findBy(ctx.tx, "name" as never, nameOf(content));
  return packContent<Content, Prepared | undefined>({
    kind: pack.kind ?? declaration.plural,
    ...(pack.after && { after: pack.after }),
    permission: declaration.permissions.write,
    environmentScoped: pack.environmentScoped,
    schema: pack.schema,
    keyOf: nameOf,
    ...(pack.prepare && { prepare: pack.prepare }),
    async find(ctx, content) {
      const item = await find(ctx, content);
      return item && idOf(item);
    },
    async read({ tx }, id) {
      const item = await store.find(tx, id);
      if (!item) return undefined;
      if (pack.toContent) return pack.toContent(item);
      const { properties } = declaration.input;
      const fields = Object.keys(properties).map((field) => [field, (item as never)[field]]);
      return managed(Object.fromEntries(fields));
    },
    create: async (ctx, content, prepared) =>
      idOf(await create(ctx, (await toInput(ctx, content)) as Static<Input>, prepared)),
    async replace(ctx, id, content, prepared) {
      const whole = { ...declaration.defaults, ...((await toInput(ctx, content)) as object) };
      await update(ctx, id, managed(whole) as never, prepared === undefined ? {} : { prepared });
      return id;
    },
    remove,
    source: resourceSource(store as never, pack as never),
  });
}

type Named = { readonly id: string; readonly name: string };

/** Exports the items of a resource as content. */
function resourceSource(
  store: Pick<ResourceStore<Named>, "find" | "findBy" | "select">,
  pack: Pick<
    ResourcePack<TObject, TObject, TSchema, never, Named>,
    "schema" | "toSource" | "toContent"
  >,
): ContentSource<Named> {
  return {
    async list({ tx }, limit) {
      const items = await store.select(tx, `true order by id limit ${limit}`, []);
      return items.map(({ id }) => id);
    },
    find: async ({ tx }, { name }) => (await store.findBy(tx, "name", name))?.id,
    async toContent(ctx, id) {
      const item = await store.find(ctx.tx, id);
      if (!item) return undefined;
      const content = (await pack.toSource?.(ctx, item)) ?? pack.toContent?.(item) ?? item;
      return pickContent(content, pack.schema);
    },
  };
}

/** The fields of a content schema. Fields without a value are omitted. */
function pickContent(content: object, schema: TSchema): object {
  const { properties = {} } = schema as { properties?: object };
  const fields = Object.entries(content).filter(
    ([field, value]) => field in properties && value !== null && value !== undefined,
  );
  return Object.fromEntries(fields);
}
