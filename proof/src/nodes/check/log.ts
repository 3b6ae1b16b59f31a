import type { Check } from "./check.ts";

interface Row {
  readonly request_id: string;
  readonly types: readonly string[];
  readonly first: string;
}

/** Every call has exactly its events, once; no other events exist; calls on one resource are in order. */
export const checkLog: Check = async ({ database, ledger }) => {
  const rows: Row[] = await database.rows(
    `select request_id, array_agg(type order by epoch, xid, seq) as types,
            min(lpad(epoch::text, 10, '0') || lpad(xid::text, 20, '0') || lpad(seq::text, 20, '0')) as first
       from events where request_id ~ '^(order|batch|incident|message|request)-'
      group by request_id`,
  );
  const found = new Map(rows.map((row) => [row.request_id, row]));
  const faults: string[] = [];
  const lastOf = new Map<string, string>();
  let events = 0;
  for (const act of ledger.acts) {
    const row = found.get(act.id);
    found.delete(act.id);
    if (act.id.startsWith("furniture-")) continue;
    const types = row?.types ?? [];
    events += types.length;
    if (types.join() !== act.events.join()) {
      faults.push(`log: ${act.id} has the events [${types.join()}], not [${act.events.join()}]`);
    }
    if (!row) continue;
    // Each resource has one client, which waits for a response before the next request.
    if (row.first < (lastOf.get(act.about) ?? "")) faults.push(`log: ${act.id} came too early`);
    lastOf.set(act.about, row.first);
  }
  for (const id of found.keys()) faults.push(`log: ${id} has events, and was never answered`);
  const refused = ledger.acts.filter((act) => act.events.length === 0).length;
  return {
    line: `${ledger.acts.length} answered acts (${refused} of them refusals) have their ${events} events, once and in order`,
    faults,
  };
};
