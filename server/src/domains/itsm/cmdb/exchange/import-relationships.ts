/** Imports relationships. Ends are identified by id or key. */
import type { FieldError } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { isObject } from "../classes/schema.ts";
import type { RelationshipCreated } from "../events.ts";
import { holdItems } from "../items/hold-items.ts";
import { findByKeys, type ItemKey } from "../items/store.ts";
import {
  RELATIONSHIP_TYPES,
  type Relationship,
  type RelationshipType,
} from "../relationships/relationship.ts";
import { emitCreated, newRelationship, type RelationshipInput } from "../relationships/service.ts";
import { insertNew } from "../relationships/store.ts";
import { itemKeyText } from "./import-row.ts";
import { inBatches } from "./import-items.ts";

type ItemRef = string | ItemKey;

/** An imported relationship with unresolved ends. */
export interface RelationshipRow {
  readonly path: string;
  readonly from: ItemRef;
  readonly to: ItemRef;
  readonly type: RelationshipType;
}

const FIELDS: ReadonlySet<string> = new Set(["from", "to", "type"]);

/** Parses a relationship. Ends given only by key have the class `defaultClass`. */
export function parseRelationship(
  raw: Readonly<Record<string, unknown>>,
  path: string,
  defaultClass: string | undefined,
): RelationshipRow | { readonly errors: readonly FieldError[] } {
  const errors: FieldError[] = Object.keys(raw)
    .filter((name) => !FIELDS.has(name))
    .map((name) => ({ path: `${path}/${name}`, message: "is not a known field" }));
  const from = parseItemRef(raw["from"], defaultClass);
  const to = parseItemRef(raw["to"], defaultClass);
  const message = "must be the id of an item, or an object with its `class` and `key`";
  if (from === undefined) errors.push({ path: `${path}/from`, message });
  if (to === undefined) errors.push({ path: `${path}/to`, message });
  const type = RELATIONSHIP_TYPES.find((known) => known === raw["type"]);
  if (type === undefined) {
    const typeMessage = `must be one of ${RELATIONSHIP_TYPES.join(", ")}`;
    errors.push({ path: `${path}/type`, message: typeMessage });
  }
  if (errors.length > 0 || from === undefined || to === undefined || type === undefined) {
    return { errors };
  }
  return { path, from, to, type };
}

function parseItemRef(value: unknown, defaultClass: string | undefined): ItemRef | undefined {
  if (typeof value === "string") return value;
  if (!isObject(value)) return undefined;
  const { class: itemClass = defaultClass, key } = value;
  if (typeof itemClass !== "string" || typeof key !== "string") return undefined;
  return { class: itemClass, key };
}

/** Resolves the ends to existing items. Returns errors for the others. */
export async function resolveRelationships(
  ctx: Pick<WriteContext, "tx">,
  rows: readonly RelationshipRow[],
): Promise<{
  readonly resolved: readonly RelationshipInput[];
  readonly errors: readonly FieldError[];
}> {
  if (rows.length === 0) return { resolved: [], errors: [] };
  const refs = rows.flatMap(({ from, to }) => [from, to]);
  const keys = new Map(
    refs.flatMap((ref) => (typeof ref === "string" ? [] : [[itemKeyText(ref), ref] as const])),
  );
  const found = keys.size === 0 ? [] : await findByKeys(ctx.tx, [...keys.values()]);
  const byName = new Map(
    found.map((item) => [itemKeyText({ class: item.class, key: item.key ?? "" }), item.id]),
  );
  const ids = refs.flatMap((ref) => (typeof ref === "string" ? [ref] : []));
  const held = await holdItems(ctx.tx, [...new Set([...ids, ...byName.values()])]);
  const idOf = (ref: ItemRef): string | undefined => {
    const id = typeof ref === "string" ? ref : byName.get(itemKeyText(ref));
    return id !== undefined && held.has(id) ? id : undefined;
  };
  const resolved: RelationshipInput[] = [];
  const errors: FieldError[] = [];
  for (const { path, from: left, to: right, type } of rows) {
    const [from, to] = [idOf(left), idOf(right)];
    if (from === undefined)
      errors.push({ path: `${path}/from`, message: "is not an item in this workspace" });
    if (to === undefined)
      errors.push({ path: `${path}/to`, message: "is not an item in this workspace" });
    if (from === undefined || to === undefined) continue;
    if (from !== to) resolved.push({ from, to, type });
    else errors.push({ path: `${path}/to`, message: "must be a different item than `from`" });
  }
  return { resolved, errors };
}

/** Creates missing relationships, and resolves to their number. */
export async function createRelationships(
  ctx: WriteContext<typeof RelationshipCreated>,
  resolved: readonly RelationshipInput[],
): Promise<number> {
  let createdCount = 0;
  const all: readonly Relationship[] = resolved.map((input) => newRelationship(ctx, input));
  for (const batch of inBatches(all)) {
    const fresh = await insertNew(ctx.tx, batch);
    for (const relationship of batch) {
      if (fresh.has(relationship.id)) emitCreated(ctx, relationship);
    }
    createdCount += fresh.size;
    ctx.flush();
  }
  return createdCount;
}
