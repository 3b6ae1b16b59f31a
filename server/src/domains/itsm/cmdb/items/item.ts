import Type, { type Static } from "typebox";
import { failure } from "#kernel/operation/failure.ts";
import { id, line, nullable, text, Time } from "#kernel/schema/schema.ts";
import { ClassName } from "../classes/class.ts";

export const STATUSES = ["planned", "active", "inactive", "maintenance", "retired"] as const;

/** As JSON. */
export const ATTRIBUTES_CHARACTERS_MAX = 65_536;

export const ItemId = id("ci");

export const Attributes = Type.Record(
  Type.String({ minLength: 1, maxLength: 100 }),
  Type.Unknown(),
  {
    description:
      "Attributes according to the schema of the class, at most 64 KiB. Attributes with null are removed",
  },
);

export const itemFields = {
  name: line(200),
  class: ClassName,
  status: Type.Enum([...STATUSES]),
  key: nullable(line(200, "Key for imports. Unique within the class")),
  description: text(10_000),
  attributes: Attributes,
  ownerId: nullable(id("usr", "The member who is responsible for the item")),
  teamId: nullable(id("tem", "The team that is responsible for the item")),
};

export const Item = Type.Object(
  {
    id: ItemId,
    ...itemFields,
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "CmdbItem" },
);
export type Item = Static<typeof Item> & { readonly revision: number };

/** The editable fields of an item. */
export type ItemFields = Pick<Item, keyof typeof itemFields>;

export const ItemDetail = Type.Object(
  {
    ...Item.properties,
    relationshipCount: Type.Integer({ description: "Relationships in both directions" }),
  },
  { title: "CmdbItemDetail" },
);

/** An item in a graph. */
export const itemSummary = {
  id: ItemId,
  name: itemFields.name,
  class: itemFields.class,
  status: itemFields.status,
};

export const KeyTaken = failure(
  "cmdb_key_taken",
  409,
  "Another item of this class has this key.",
  "cmdb_items_key",
);
export const ItemInUse = failure(
  "cmdb_item_in_use",
  409,
  "The item has relationships or open tickets. Set its status to `retired` instead.",
);

/** The reference to an item in events. */
export function itemRef({ id: itemId, name }: Pick<Item, "id" | "name">) {
  return { id: itemId, displayName: name };
}

export function itemEventData({ revision: _, ...item }: Item) {
  return item;
}
