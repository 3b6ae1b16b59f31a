/** Describes what started a run. */
import type { Schemas } from "../data/api.ts";
import { toWords } from "../ui/words.ts";

const STARTS: Readonly<Record<string, string>> = {
  manual: "Started manually",
  event_bus: "Event of",
  schedule: "Schedule",
  webhook: "Webhook",
  subworkflow: "Called",
  request: "Request of",
  error: "Error in",
  test: "Dry run",
};

/** Returns `Started manually by Ada`, `Schedule` or `Event of Make the invoices`. */
export function nameStart({
  triggerType,
  startedBy,
}: Pick<Schemas["Run"], "triggerType" | "startedBy">): string {
  const start = STARTS[triggerType] ?? toWords(triggerType);
  if (triggerType === "schedule" || triggerType === "webhook") return start;
  return / (of|in)$/.test(start) ? `${start} ${startedBy.name}` : `${start} by ${startedBy.name}`;
}
