import { isDeepStrictEqual } from "node:util";
import type { TObject } from "typebox";
import { authorOf } from "../access/caller.ts";
import { Conflict, Failure } from "../operation/failure.ts";
import type { ResourceRef } from "../log/event.ts";
import { newId } from "../schema/id.ts";
import type {
  AnyDeclaration,
  Preparation,
  ResourceContext,
  ResourceEvents,
} from "./declaration.ts";
import type { ResourceStore, StoredItem } from "./store.ts";
import { pickFields } from "./table.ts";

type Values = Readonly<Record<string, unknown>>;
type Context = ResourceContext<
  ResourceEvents<string, TObject>[keyof ResourceEvents<string, TObject>]
>;

/** Creates, updates and removes items with their events, in the caller's transaction. */
export function resourceWriter(
  declaration: AnyDeclaration,
  store: ResourceStore<StoredItem>,
  events: ResourceEvents<string, TObject>,
) {
  const { schema, stored = schema, limit, defaults, ordered = [] } = declaration;
  // Hooks must not emit the resource's own events, which the declaration's types ensure.
  const hooks = declaration as unknown as Hooks;
  const ref = (item: StoredItem) => toRef(declaration, item);
  const data = (item: StoredItem) => pickFields(item, schema);
  return {
    eventData: data,
    async create(
      ctx: Context,
      input: Values,
      prepared?: unknown,
      kept: Values = {},
    ): Promise<StoredItem> {
      if (limit && (await store.countExclusively(ctx.tx)) >= limit.max) {
        throw new Failure(limit.failure);
      }
      await hooks.beforeLock?.(ctx, input, prepared);
      const draft = { ...defaults, ...input };
      const at = ctx.now.toISOString();
      const times = { createdBy: authorOf(ctx.caller), createdAt: at, updatedAt: at };
      const item = await store.insert(ctx.tx, {
        id: newId(declaration.idPrefix, ctx.now.getTime()),
        ...((await hooks.check?.(ctx, draft, undefined, prepared)) ?? draft),
        ...pickFields({ ...times, ...kept }, stored),
        ...pickFields(kept, ID),
      });
      ctx.emit(events.created, ref(item), data(item));
      await hooks.afterWrite?.(ctx, item, undefined, prepared);
      return item;
    },
    async update(
      ctx: Context,
      id: string,
      change: Values,
      { prepared, revision }: Preparation<unknown> = {},
    ): Promise<StoredItem> {
      await hooks.beforeLock?.(ctx, change, prepared);
      const before = await store.lock(ctx.tx, id);
      ctx.expectRevision(before.revision);
      if (revision !== undefined && revision !== before.revision) {
        throw new Failure(Conflict, { detail: "Another request changed it. Try again." });
      }
      const fields = (await hooks.check?.(ctx, change, before, prepared)) ?? change;
      const changed = changedFields(before, fields, ordered);
      if (Object.keys(changed).length === 0) return before;
      const now = pickFields({ updatedAt: ctx.now.toISOString() }, stored);
      const after = await store.update(ctx.tx, id, { ...changed, ...now });
      const [old, current] = [data(before), data(after)];
      const { updatedAt: _, ...differing } = changedFields(old, current, ordered);
      const names = Object.keys(differing);
      const changes = hooks.changes?.(names, prepared) ?? names;
      ctx.emit(events.updated, ref(after), { before: old, after: current, changes });
      await hooks.afterWrite?.(ctx, after, before, prepared);
      return after;
    },
    async remove(ctx: Context, id: string): Promise<void> {
      const item = await store.lock(ctx.tx, id);
      ctx.expectRevision(item.revision);
      await hooks.beforeDelete?.(ctx, item);
      await store.remove(ctx.tx, id);
      ctx.emit(events.deleted, ref(item), data(item));
    },
  };
}

interface Hooks {
  readonly beforeLock?: (ctx: Context, input: Values, prepared: unknown) => Promise<void>;
  readonly check?: (
    ctx: Context,
    input: Values,
    before: StoredItem | undefined,
    prepared: unknown,
  ) => Promise<Values>;
  readonly afterWrite?: (
    ctx: Context,
    item: StoredItem,
    before: StoredItem | undefined,
    prepared: unknown,
  ) => Promise<void>;
  readonly changes?: (fields: readonly string[], prepared: unknown) => string[];
  readonly beforeDelete?: (ctx: Context, item: StoredItem) => Promise<void>;
}

const ID = { properties: { id: {} } } as unknown as TObject;

/** Deep comparison, because PostgreSQL changes the key order of `jsonb`. */
function changedFields(before: Values, fields: Values, ordered: readonly PropertyKey[]): Values {
  const isSame = (field: string, value: unknown) =>
    isDeepStrictEqual(value, before[field]) &&
    (!ordered.includes(field) || JSON.stringify(value) === JSON.stringify(before[field]));
  const entries = Object.entries(fields).filter(
    ([field, value]) => value !== undefined && !isSame(field, value),
  );
  return Object.fromEntries(entries);
}

function toRef({ displayName }: AnyDeclaration, item: StoredItem): ResourceRef {
  const { id, name } = item;
  const shownName = displayName ? displayName(item as never) : name;
  return typeof shownName === "string" ? { id, displayName: shownName } : { id };
}
