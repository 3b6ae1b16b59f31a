/** The relationships of an import, whose ends are named by id or by key. */
import type { FieldError } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/operation/operation.ts";
import { isObject } from "../classes/schema.ts";
import type { RelationshipCreated } from "../events.ts";
import { holdItems } from "../items/hold-items.ts";
import { findByKeys, type ItemKey } from "../items/store.ts";
import {
  RELATIONSHIP_TYPES,
  type Relationship,
  type RelationshipType,
} from "../relationships/relationship.ts";
import { emitCreated, newRelationship, type Tie } from "../relationships/service.ts";
import { insertNew } from "../relationships/store.ts";
import { nameOf } from "./import-row.ts";
import { batchesOf } from "./import-items.ts";

type Ref = string | ItemKey;

/** A relationship as an import names it. */
export interface RelationshipRow {
  readonly path: string;
  readonly from: Ref;
  readonly to: Ref;
  readonly type: RelationshipType;
}

const FIELDS: ReadonlySet<string> = new Set(["from", "to", "type"]);

/** Reads one relationship; `defaultClass` is of ends that name a key alone. */
export function parseRelationship(
  raw: Readonly<Record<string, unknown>>,
  path: string,
  defaultClass: string | undefined,
): RelationshipRow | { readonly faults: readonly FieldError[] } {
  const faults: FieldError[] = Object.keys(raw)
    .filter((name) => !FIELDS.has(name))
    .map((name) => ({ path: `${path}/${name}`, message: "is not a known field" }));
  const from = refOf(raw["from"], defaultClass);
  const to = refOf(raw["to"], defaultClass);
  const message = "must be the id of an item, or an object with its `class` and `key`";
  if (from === undefined) faults.push({ path: `${path}/from`, message });
  if (to === undefined) faults.push({ path: `${path}/to`, message });
  const type = RELATIONSHIP_TYPES.find((known) => known === raw["type"]);
  if (type === undefined) {
    const words = `must be one of ${RELATIONSHIP_TYPES.join(", ")}`;
    faults.push({ path: `${path}/type`, message: words });
  }
  if (faults.length > 0 || from === undefined || to === undefined || type === undefined) {
    return { faults };
  }
  return { path, from, to, type };
}

function refOf(value: unknown, defaultClass: string | undefined): Ref | undefined {
  if (typeof value === "string") return value;
  if (!isObject(value)) return undefined;
  const { class: itemClass = defaultClass, key } = value;
  if (typeof itemClass !== "string" || typeof key !== "string") return undefined;
  return { class: itemClass, key };
}

/** The ties whose ends are there, and faults for the others. */
export async function resolveRelationships(
  ctx: Pick<WriteContext, "tx">,
  named: readonly RelationshipRow[],
): Promise<{ readonly ties: readonly Tie[]; readonly faults: readonly FieldError[] }> {
  if (named.length === 0) return { ties: [], faults: [] };
  const refs = named.flatMap(({ from, to }) => [from, to]);
  const keys = new Map(
    refs.flatMap((ref) => (typeof ref === "string" ? [] : [[nameOf(ref), ref] as const])),
  );
  const found = keys.size === 0 ? [] : await findByKeys(ctx.tx, [...keys.values()]);
  const byName = new Map(
    found.map((item) => [nameOf({ class: item.class, key: item.key ?? "" }), item.id]),
  );
  const ids = refs.flatMap((ref) => (typeof ref === "string" ? [ref] : []));
  const held = await holdItems(ctx.tx, [...new Set([...ids, ...byName.values()])]);
  const idOf = (ref: Ref): string | undefined => {
    const id = typeof ref === "string" ? ref : byName.get(nameOf(ref));
    return id !== undefined && held.has(id) ? id : undefined;
  };
  const ties: Tie[] = [];
  const faults: FieldError[] = [];
  for (const { path, from: left, to: right, type } of named) {
    const [from, to] = [idOf(left), idOf(right)];
    if (from === undefined) faults.push({ path: `${path}/from`, message: "is no item here" });
    if (to === undefined) faults.push({ path: `${path}/to`, message: "is no item here" });
    if (from === undefined || to === undefined) continue;
    if (from !== to) ties.push({ from, to, type });
    else faults.push({ path: `${path}/to`, message: "must be another item than `from`" });
  }
  return { ties, faults };
}

/** Makes the relationships that are not there yet, and tells how many those were. */
export async function createRelationships(
  ctx: WriteContext<typeof RelationshipCreated>,
  ties: readonly Tie[],
): Promise<number> {
  let made = 0;
  const all: readonly Relationship[] = ties.map((tie) => newRelationship(ctx, tie));
  for (const batch of batchesOf(all)) {
    const fresh = await insertNew(ctx.tx, batch);
    for (const one of batch) if (fresh.has(one.id)) emitCreated(ctx, one);
    made += fresh.size;
    ctx.flush();
  }
  return made;
}
