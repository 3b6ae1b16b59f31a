import { isDeepStrictEqual } from "node:util";
import { diffResource } from "#kernel/log/event.ts";
import { Failure, invalidField, Invalid } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
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
import { type ObjectSchema, parseSchema } from "./schema.ts";
import * as store from "./store.ts";

const SCHEMA_CHARACTERS_MAX = 65_536;

export interface ClassInput {
  readonly name: string;
  readonly label?: string;
  readonly description?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly extends?: string | null;
}

export async function create(
  ctx: WriteContext<typeof ClassCreated>,
  input: ClassInput,
): Promise<ItemClass> {
  const { tx, now, caller } = ctx;
  const { name, label = name, description = "" } = input;
  const attributes = JSON.stringify(parseAttributes(input.attributes));
  await store.lockClasses(tx);
  await assertExtends(ctx, name, input.extends);
  if ((await store.count(tx)) >= CLASSES_MAX) throw new Failure(TooManyClasses);
  const times = { created_at: now, updated_at: now };
  const row = { name, label, description, attributes, extends: input.extends ?? null };
  const itemClass = await store.insert(tx, { ...row, created_by: caller.actor.id, ...times });
  ctx.emit(events.ClassCreated, classRef(itemClass), classEventData(itemClass));
  return itemClass;
}

/** Existing items keep their attributes, and are validated at their next change. */
export async function update(
  ctx: WriteContext<typeof ClassUpdated>,
  name: string,
  change: Partial<Omit<ClassInput, "name">>,
): Promise<ItemClass> {
  await store.lockClasses(ctx.tx);
  const before = await store.lock(ctx.tx, name);
  ctx.expectRevision(before.revision);
  const { label, description } = change;
  const attributes = change.attributes && parseAttributes(change.attributes);
  const changed = {
    ...(label !== undefined && { label }),
    ...(description !== undefined && { description }),
    ...(change.extends !== undefined && { extends: change.extends }),
  };
  const isSame = isDeepStrictEqual(
    { ...before, ...changed, attributes: attributes ?? before.attributes },
    before,
  );
  if (isSame) return before;
  await assertExtends(ctx, name, change.extends);
  const after = await store.update(ctx.tx, name, {
    ...changed,
    ...(attributes && { attributes: JSON.stringify(attributes) }),
    updated_at: ctx.now,
  });
  ctx.emit(
    events.ClassUpdated,
    classRef(after),
    diffResource(classEventData(before), classEventData(after)),
  );
  return after;
}

/** A built-in class returns to its default, and its items are kept. */
export async function remove(ctx: WriteContext<typeof ClassDeleted>, name: string): Promise<void> {
  await store.lockClasses(ctx.tx);
  const itemClass = await store.lock(ctx.tx, name);
  ctx.expectRevision(itemClass.revision);
  if (!isBuiltIn(name) && (await store.isInUse(ctx.tx, name))) throw new Failure(ClassInUse);
  await store.remove(ctx.tx, name);
  ctx.emit(events.ClassDeleted, classRef(itemClass), classEventData(itemClass));
}

function parseAttributes(changed: Readonly<Record<string, unknown>>): ObjectSchema {
  if (JSON.stringify(changed).length > SCHEMA_CHARACTERS_MAX) {
    throw invalidField(
      "/attributes",
      `must have at most ${SCHEMA_CHARACTERS_MAX} characters as JSON`,
    );
  }
  const parsed = parseSchema(changed, "/attributes");
  if ("schema" in parsed) return parsed.schema;
  const [first] = parsed.errors;
  throw new Failure(Invalid, {
    detail: `${first?.path} ${first?.message}`,
    errors: parsed.errors.slice(0, 20),
  });
}

/** Throws 422 unless the extended class exists and does not extend this one. */
async function assertExtends(
  { tx }: Pick<WriteContext, "tx">,
  name: string,
  parent: string | null | undefined,
): Promise<void> {
  let next = parent;
  for (let depth = 1; typeof next === "string"; depth += 1) {
    if (next === name) throw invalidField("/extends", "extends this class");
    if (depth > EXTENDS_MAX)
      throw invalidField("/extends", `exceeds the limit of ${EXTENDS_MAX} levels of inheritance`);
    const found: ItemClass | undefined = await store.find(tx, next);
    if (!found) throw invalidField("/extends", "is not the name of a class");
    next = found.extends;
  }
}

function classRef({ name, label }: ItemClass) {
  return { id: name, displayName: label };
}

function classEventData({ revision: _, ...itemClass }: ItemClass) {
  return itemClass;
}
