/** What becomes of an item when somebody says something about it. */
import { isDeepStrictEqual } from "node:util";
import type { FieldError } from "#kernel/operation/failure.ts";
import { attributeFaults } from "../classes/check-attributes.ts";
import type { ObjectSchema } from "../classes/schema.ts";
import { ATTRIBUTES_CHARACTERS_MAX, dataOf, fields, type Item, type ItemFields } from "./item.ts";

/** An item of which only the class and the name are known. */
export const EMPTY_ITEM: Omit<ItemFields, "name" | "class"> = {
  status: "active",
  key: null,
  description: "",
  attributes: {},
  ownerId: null,
  teamId: null,
};

/** What somebody says about an item; what is undefined stays. */
export type ItemInput = { readonly [Name in keyof ItemFields]?: ItemFields[Name] | undefined };

/** The fields after a change. Attributes are changed one by one, and null takes one away. */
export function applyItemChange(before: ItemFields, given: ItemInput): ItemFields {
  const said = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as Partial<ItemFields>;
  const attributes = Object.entries({ ...before.attributes, ...given.attributes });
  return {
    ...before,
    ...said,
    attributes: Object.fromEntries(attributes.filter(([, value]) => value !== null)),
  };
}

const NAMES = Object.keys(fields) as readonly (keyof ItemFields)[];

/** The fields in which two differ. */
export function changesBetween(before: ItemFields, after: ItemFields): string[] {
  return NAMES.filter((name) => !isDeepStrictEqual(before[name], after[name]));
}

/** `data` of the event that tells of a change. */
export function changeData(before: Item, after: Item) {
  const changes = changesBetween(before, after);
  return { before: dataOf(before), after: dataOf(after), changes };
}

/** What is wrong with the class and the attributes of an item; `schemas` has the classes that there are. */
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
  return attributeFaults(schema, item.attributes, `${path}/attributes`);
}
