/** Describes what started a run. */
import type { Schemas } from "../data/api.ts";
import { toWords } from "../ui/words.ts";

const STARTS: Readonly<Record<string, string>> = {
  manual: "Started",
  event_bus: "By an event of",
  schedule: "On schedule",
  webhook: "By a webhook",
  subworkflow: "Called",
  request: "By a request of",
  error: "After a failure of",
  test: "Tested",
};

/** Returns `Started by Ada`, `On schedule` or `By an event of Make the invoices`. */
export function nameStart({
  triggerType,
  startedBy,
}: Pick<Schemas["Run"], "triggerType" | "startedBy">): string {
  const start = STARTS[triggerType] ?? toWords(triggerType);
  if (triggerType === "schedule" || triggerType === "webhook") return start;
  return start.endsWith(" of") ? `${start} ${startedBy.name}` : `${start} by ${startedBy.name}`;
}
