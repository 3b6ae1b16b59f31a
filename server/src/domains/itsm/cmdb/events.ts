import { changeEvent, event } from "#kernel/log/event.ts";
import { ItemClass } from "./classes/class.ts";
import { Item } from "./items/item.ts";
import { Relationship } from "./relationships/relationship.ts";

const item = { resource: "cmdb_item", data: Item };
export const ItemCreated = event("cmdb_item.created", {
  ...item,
  summary: "A configuration item was entered.",
});
export const ItemUpdated = changeEvent("cmdb_item.updated", {
  ...item,
  summary: "A configuration item was changed.",
});
export const ItemDeleted = event("cmdb_item.deleted", {
  ...item,
  summary: "A configuration item was deleted.",
});

const relationship = { resource: "cmdb_relationship", data: Relationship };
export const RelationshipCreated = event("cmdb_relationship.created", {
  ...relationship,
  summary: "Two configuration items were related.",
});
export const RelationshipDeleted = event("cmdb_relationship.deleted", {
  ...relationship,
  summary: "Two configuration items are no longer related.",
});

const itemClass = { resource: "cmdb_class", data: ItemClass };
export const ClassCreated = event("cmdb_class.created", {
  ...itemClass,
  summary: "A class of configuration items was declared.",
});
export const ClassUpdated = changeEvent("cmdb_class.updated", {
  ...itemClass,
  summary: "A class of configuration items was changed.",
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
