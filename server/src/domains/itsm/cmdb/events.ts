import { changeEvent, event } from "#kernel/log/event.ts";
import { ItemClass } from "./classes/class.ts";
import { Item } from "./items/item.ts";
import { Relationship } from "./relationships/relationship.ts";

const item = { resource: "cmdb_item", data: Item };
export const ItemCreated = event("cmdb_item.created", {
  ...item,
  summary: "A configuration item was created.",
});
export const ItemUpdated = changeEvent("cmdb_item.updated", {
  ...item,
  summary: "A configuration item was updated.",
});
export const ItemDeleted = event("cmdb_item.deleted", {
  ...item,
  summary: "A configuration item was deleted.",
});

const relationship = { resource: "cmdb_relationship", data: Relationship };
export const RelationshipCreated = event("cmdb_relationship.created", {
  ...relationship,
  summary: "A relationship of two configuration items was created.",
});
export const RelationshipDeleted = event("cmdb_relationship.deleted", {
  ...relationship,
  summary: "A relationship of two configuration items was deleted.",
});

const itemClass = { resource: "cmdb_class", data: ItemClass };
export const ClassCreated = event("cmdb_class.created", {
  ...itemClass,
  summary: "A class of configuration items was created.",
});
export const ClassUpdated = changeEvent("cmdb_class.updated", {
  ...itemClass,
  summary: "A class of configuration items was updated.",
});
export const ClassDeleted = event("cmdb_class.deleted", {
  ...itemClass,
  summary: "A class of configuration items was deleted.",
});

export const cmdbEvents = [
  ItemCreated,
  ItemUpdated,
  ItemDeleted,
  RelationshipCreated,
  RelationshipDeleted,
  ClassCreated,
  ClassUpdated,
  ClassDeleted,
];
