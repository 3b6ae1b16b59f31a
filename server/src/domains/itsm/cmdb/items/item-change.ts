/** Applies a change to a configuration item. Pure functions. */
import { isDeepStrictEqual } from "node:util";
import type { FieldError } from "#kernel/operation/failure.ts";
import { attributeErrors } from "../classes/check-attributes.ts";
import type { ObjectSchema } from "../classes/schema.ts";
import {
  ATTRIBUTES_CHARACTERS_MAX,
  itemEventData,
  itemFields,
  type Item,
  type ItemFields,
} from "./item.ts";

/** The defaults of an item. */
export const EMPTY_ITEM: Omit<ItemFields, "name" | "class"> = {
  status: "active",
  key: null,
  description: "",
  attributes: {},
  ownerId: null,
  teamId: null,
};

/** Item fields to set. Undefined fields do not change. */
export type ItemInput = { readonly [Name in keyof ItemFields]?: ItemFields[Name] | undefined };

/** Applies a change to the fields of an item. Attributes are merged; null removes an attribute. */
export function applyItemChange(before: ItemFields, change: ItemInput): ItemFields {
  const defined = Object.fromEntries(
    Object.entries(change).filter(([, value]) => value !== undefined),
  ) as Partial<ItemFields>;
  const attributes = Object.entries({ ...before.attributes, ...change.attributes });
  return {
    ...before,
    ...defined,
    attributes: Object.fromEntries(attributes.filter(([, value]) => value !== null)),
  };
}

const NAMES = Object.keys(itemFields) as readonly (keyof ItemFields)[];

/** Lists the fields in which two items differ. */
export function changesBetween(before: ItemFields, after: ItemFields): string[] {
  return NAMES.filter((name) => !isDeepStrictEqual(before[name], after[name]));
}

/** Builds the data of the event of a change. */
export function changeData(before: Item, after: Item) {
  const changes = changesBetween(before, after);
  return { before: itemEventData(before), after: itemEventData(after), changes };
}

/** Validates the class and the attributes of an item. `schemas` contains the existing classes. */
export function itemErrors(
  item: ItemFields,
  schemas: ReadonlyMap<string, ObjectSchema>,
  path: string,
): readonly FieldError[] {
  const schema = schemas.get(item.class);
  if (!schema) return [{ path: `${path}/class`, message: "is not the name of a class" }];
  if (JSON.stringify(item.attributes).length > ATTRIBUTES_CHARACTERS_MAX) {
    const message = `must have at most ${ATTRIBUTES_CHARACTERS_MAX} characters as JSON`;
    return [{ path: `${path}/attributes`, message }];
  }
  return attributeErrors(schema, item.attributes, `${path}/attributes`);
}
