import { domain } from "#kernel/domain.ts";
import { affectedNotificationReader } from "./notifications.ts";
import { outageOperations } from "./operations.ts";
import { AffectedReported, OutagesRead } from "./outage.ts";

export { listOutages, Outage, OutagesRead } from "./outage.ts";

export const outages = domain({
  name: "outages",
  summary: "Current outages, visible to all members of the workspace.",
  permissions: [OutagesRead],
  events: [AffectedReported],
  operations: outageOperations,
  readers: [affectedNotificationReader],
});
