import { domain } from "#kernel/domain.ts";
import type { Operation } from "#kernel/contract.ts";
import { catalog } from "../catalog/index.ts";
import { changes } from "../changes/index.ts";
import { incidents } from "../incidents/index.ts";
import { problems } from "../problems/index.ts";
import { exportTickets } from "./exchange/export-operation.ts";
import { queueOperations } from "./operations.ts";
import { takeNextCommand } from "./take-next.ts";
import { countViews } from "./view-counts.ts";
import { viewOperations } from "./view-operations.ts";
import { views, ViewsOwn } from "./view.ts";

export { findTicketIds, readTicketItem, readTicketItems } from "./queue-page.ts";
export { selection } from "./queue-query.ts";
export { TicketItem } from "./ticket-item.ts";

const takes: readonly Operation[] = [incidents, changes, problems, catalog].flatMap(
  ({ operations }) => operations.filter(({ id }) => id.endsWith(".take")),
);

export const queue = domain({
  name: "tickets",
  summary: "Tickets of all kinds in one queue, and saved views.",
  permissions: [ViewsOwn],
  events: Object.values(views.events),
  operations: [
    exportTickets,
    ...queueOperations,
    takeNextCommand(takes),
    countViews,
    ...viewOperations,
  ],
});
