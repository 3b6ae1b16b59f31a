import { type Check, differences } from "./check.ts";

/** Each incident has its two SLA clocks, and each missed target was reported once. */
export const checkClocks: Check = async ({ database, ledger }) => {
  const clocks = await database.rows(
    "select ticket_id as ticket, metric, warned_at, breached_at, state from sla_clocks",
  );
  const told = await database.rows(
    `select type, resource_id as ticket, data ->> 'metric' as metric from events
      where type in ('sla.breached', 'sla.warning')`,
  );
  const raised = ledger.of("incident").filter(({ id }) => id.endsWith("-0"));
  const breached = clocks.filter(({ breached_at }) => breached_at !== null);
  const warned = clocks.filter(({ warned_at }) => warned_at !== null);
  const toldOf = (wanted: string): string[] =>
    told.filter(({ type }) => type === wanted).map(nameOf);
  return {
    line: `${clocks.length} clocks of ${raised.length} incidents have ended, ${breached.length} of them too late, which was told once each`,
    faults: [
      ...differences(
        "clocks",
        raised.flatMap(({ data }) => [`${data.id} response`, `${data.id} resolution`]),
        clocks.map(nameOf),
      ),
      ...differences("told breaches", breached.map(nameOf), toldOf("sla.breached")),
      ...differences("told warnings", warned.map(nameOf), toldOf("sla.warning")),
    ],
  };
};

function nameOf({ ticket, metric }: Record<string, unknown>): string {
  return `${String(ticket)} ${String(metric)}`;
}
