import { UsageCounterPoint } from "#kernel/contributions/usage-counter.ts";
import { domain } from "#kernel/domain.ts";
import { InversePoint } from "#kernel/undo/inverse.ts";
import { contribute } from "#kernel/extension-point.ts";
import { SqlViewPoint, viewColumns } from "#kernel/contributions/sql-view.ts";
import { PackContentPoint } from "#kernel/contributions/pack-content.ts";
import { StoredDefinitionPoint } from "#kernel/resource/stored-definition.ts";
import { classDefinition } from "./classes/schema.ts";
import { classOperations } from "./classes/operations.ts";
import { cmdbEvents } from "./events.ts";
import { exportItems } from "./exchange/export-operation.ts";
import { importItems } from "./exchange/import-operation.ts";
import { graphOperations } from "./graph/operations.ts";
import { itemOperations } from "./items/operations.ts";
import { count } from "./items/store.ts";
import { classContent } from "./pack.ts";
import { CmdbRead, CmdbWrite } from "./permissions.ts";
import { relationshipOperations } from "./relationships/operations.ts";

export { readImpactWeight as weightOf } from "./graph/impact-weight.ts";
export { missingItems } from "./items/hold-items.ts";
export { type TicketOnItem, TicketsOnItemsPoint } from "./items/open-tickets.ts";

export const cmdb = domain({
  name: "cmdb",
  summary: "Configuration items, their classes and their dependencies.",
  permissions: [CmdbRead, CmdbWrite],
  events: cmdbEvents,
  operations: [
    ...itemOperations,
    ...classOperations,
    ...relationshipOperations,
    ...graphOperations,
    importItems,
    exportItems,
  ],
  contributions: [
    contribute(StoredDefinitionPoint, classDefinition),
    contribute(InversePoint, {
      resourceType: "cmdb_item",
      created: ["cmdb_item.created"],
      updated: ["cmdb_item.updated"],
      get: "cmdb.get_item",
      update: "cmdb.update_item",
      remove: "cmdb.delete_item",
    }),
    contribute(InversePoint, {
      resourceType: "cmdb_relationship",
      created: ["cmdb_relationship.created"],
      get: "cmdb.get_relationship",
      remove: "cmdb.delete_relationship",
    }),
    contribute(UsageCounterPoint, { name: "cmdbItems", count }),
    contribute(PackContentPoint, classContent),
    contribute(SqlViewPoint, {
      name: "configuration_items",
      summary: "Configuration items. `attributes` contains the attributes of the class.",
      permission: CmdbRead,
      columns: viewColumns({
        text: "id class key name status description owner_id team_id created_by",
        jsonb: "attributes",
        timestamptz: "created_at updated_at",
      }),
    }),
    contribute(SqlViewPoint, {
      name: "configuration_relationships",
      summary: "Relationships between configuration items.",
      permission: CmdbRead,
      columns: viewColumns({ text: "id from_id to_id type created_by", timestamptz: "created_at" }),
    }),
  ],
});
