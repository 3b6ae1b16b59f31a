import { UsageCounterPoint } from "#kernel/contributions/usage-counter.ts";
import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import { PackContentPoint } from "#kernel/contributions/pack-content.ts";
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
  summary: "Configuration items: what runs here, what it needs, and what breaks with it.",
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
    contribute(UsageCounterPoint, { name: "cmdbItems", count }),
    contribute(PackContentPoint, classContent),
  ],
});
