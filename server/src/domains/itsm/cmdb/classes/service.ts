import { isDeepStrictEqual } from "node:util";
import { diffResource } from "#kernel/log/event.ts";
import { Failure, invalidField, Invalid } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/operation/operation.ts";
import type { ClassCreated, ClassDeleted, ClassUpdated } from "../events.ts";
import * as events from "../events.ts";
import {
  CLASSES_MAX,
  ClassInUse,
  EXTENDS_MAX,
  isBuiltIn,
  type ItemClass,
  TooManyClasses,
} from "./class.ts";
import { type ObjectSchema, readSchema } from "./schema.ts";
import * as store from "./store.ts";

const SCHEMA_CHARACTERS_MAX = 65_536;

/** A class as somebody declares it. */
export interface ClassDraft {
  readonly name: string;
  readonly label?: string;
  readonly description?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly extends?: string | null;
}

export async function create(
  ctx: WriteContext<typeof ClassCreated>,
  draft: ClassDraft,
): Promise<ItemClass> {
  const { tx, now, caller } = ctx;
  const { name, label = name, description = "" } = draft;
  const attributes = JSON.stringify(schemaOf(draft.attributes));
  await store.takeTurn(tx);
  await assertExtends(ctx, name, draft.extends);
  if ((await store.count(tx)) >= CLASSES_MAX) throw new Failure(TooManyClasses);
  const times = { created_at: now, updated_at: now };
  const row = { name, label, description, attributes, extends: draft.extends ?? null };
  const made = await store.insert(tx, { ...row, created_by: caller.actor.id, ...times });
  ctx.emit(events.ClassCreated, referTo(made), dataOf(made));
  return made;
}

/** Items that are there keep the attributes that they have, until somebody changes those. */
export async function update(
  ctx: WriteContext<typeof ClassUpdated>,
  name: string,
  change: Partial<Omit<ClassDraft, "name">>,
): Promise<ItemClass> {
  await store.takeTurn(ctx.tx);
  const before = await store.lock(ctx.tx, name);
  ctx.expectRevision(before.revision);
  const { label, description } = change;
  const attributes = change.attributes && schemaOf(change.attributes);
  const given = {
    ...(label !== undefined && { label }),
    ...(description !== undefined && { description }),
    ...(change.extends !== undefined && { extends: change.extends }),
  };
  const isSame = isDeepStrictEqual(
    { ...before, ...given, attributes: attributes ?? before.attributes },
    before,
  );
  if (isSame) return before;
  await assertExtends(ctx, name, change.extends);
  const after = await store.update(ctx.tx, name, {
    ...given,
    ...(attributes && { attributes: JSON.stringify(attributes) }),
    updated_at: ctx.now,
  });
  ctx.emit(events.ClassUpdated, referTo(after), diffResource(dataOf(before), dataOf(after)));
  return after;
}

/** A built-in class goes back to what it was, and its items stay. */
export async function remove(ctx: WriteContext<typeof ClassDeleted>, name: string): Promise<void> {
  await store.takeTurn(ctx.tx);
  const itemClass = await store.lock(ctx.tx, name);
  ctx.expectRevision(itemClass.revision);
  if (!isBuiltIn(name) && (await store.isNeeded(ctx.tx, name))) throw new Failure(ClassInUse);
  await store.remove(ctx.tx, name);
  ctx.emit(events.ClassDeleted, referTo(itemClass), dataOf(itemClass));
}

function schemaOf(given: Readonly<Record<string, unknown>>): ObjectSchema {
  if (JSON.stringify(given).length > SCHEMA_CHARACTERS_MAX) {
    throw invalidField(
      "/attributes",
      `must have at most ${SCHEMA_CHARACTERS_MAX} characters as JSON`,
    );
  }
  const read = readSchema(given, "/attributes");
  if ("schema" in read) return read.schema;
  const [first] = read.faults;
  throw new Failure(Invalid, {
    detail: `${first?.path} ${first?.message}`,
    errors: read.faults.slice(0, 20),
  });
}

/** What it extends must be there, and must not extend it in turn. */
async function assertExtends(
  { tx }: Pick<WriteContext, "tx">,
  name: string,
  parent: string | null | undefined,
): Promise<void> {
  let next = parent;
  for (let depth = 1; typeof next === "string"; depth += 1) {
    if (next === name) throw invalidField("/extends", "extends this class itself");
    if (depth > EXTENDS_MAX)
      throw invalidField("/extends", `is more than ${EXTENDS_MAX} classes deep`);
    const found: ItemClass | undefined = await store.find(tx, next);
    if (!found) throw invalidField("/extends", "is not the name of a class");
    next = found.extends;
  }
}

function referTo({ name, label }: ItemClass) {
  return { id: name, displayName: label };
}

function dataOf({ revision: _, ...itemClass }: ItemClass) {
  return itemClass;
}
