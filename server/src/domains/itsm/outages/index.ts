import { domain } from "#kernel/domain.ts";
import { affectedNotificationReader } from "./notifications.ts";
import { outageOperations } from "./operations.ts";
import { AffectedReported, OutagesRead } from "./outage.ts";

export { listOutages, Outage, OutagesRead } from "./outage.ts";

export const outages = domain({
  name: "outages",
  summary: "What does not work for many, as everybody sees it.",
  permissions: [OutagesRead],
  events: [AffectedReported],
  operations: outageOperations,
  readers: [affectedNotificationReader],
});
