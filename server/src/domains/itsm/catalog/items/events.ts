import { changeEvent, event } from "#kernel/log/event.ts";
import { Item } from "./item.ts";

const about = (summary: string) => ({ resource: "catalog_item", summary, data: Item });

export const ItemCreated = event(
  "catalog_item.created",
  about("Something was added that people may ask for."),
);
export const ItemUpdated = changeEvent(
  "catalog_item.updated",
  about("What people may ask for was changed."),
);
export const ItemRetired = event(
  "catalog_item.retired",
  about("Something is no longer to be asked for."),
);
