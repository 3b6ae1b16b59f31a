import { compilePattern } from "../../../../server/src/kernel/condition/event-pattern.ts";
import { eventIdOf } from "../../../../server/src/kernel/log/event.ts";
import { HOOKS } from "../furnish.ts";
import { type Check, differences, type Evidence, isExcused } from "./check.ts";

interface Delivery {
  readonly id: string;
  readonly hook: string;
  readonly epoch: number;
  readonly xid: string;
  readonly seq: number;
  readonly type: string;
  readonly resource: string;
  readonly status: string;
}

/** Each event reached each subscribed webhook with one delivery id, and was only repeated after a failure or a kill. */
export const checkDeliveries: Check = async (evidence) => {
  const { database, receiver } = evidence;
  const events = await database.rows("select epoch, xid, seq, type from events");
  const expected = Object.entries(HOOKS).flatMap(([hook, patterns]) => {
    const hears = compilePattern(patterns);
    return events.filter(({ type }) => hears(type)).map((event) => `${hook} ${placeOf(event)}`);
  });
  const deliveries: Delivery[] = await database.rows(DELIVERIES);
  const failed = [...receiver.arrivals.values()].filter(({ failed: times }) => times > 0).length;
  const repeats = repeatsOf(evidence);
  const unfinished = deliveries.filter(({ status }) => status !== "succeeded");
  return {
    line: `${deliveries.length} deliveries have arrived, one for each event and webhook, ${failed} of them after a refusal; ${repeats.repeated} arrived twice, under the same id`,
    faults: [
      ...differences(
        "deliveries",
        expected,
        deliveries.map((one) => `${one.hook} ${placeOf(one)}`),
      ),
      ...unfinished.map(({ id, status }) => `delivery ${id} is ${status}`),
      ...differences(
        "arrivals",
        deliveries.map(({ id, hook, type }) => `${id} ${hook} ${type}`),
        [...receiver.arrivals]
          .filter(([, { answeredAtMs }]) => answeredAtMs.length > 0)
          .map(([id, { hook, event }]) => `${id} ${hook} ${event}`),
      ),
      ...repeats.faults,
      ...disorderOf(evidence, deliveries),
    ],
  };
};

const DELIVERIES = `
  select d.id, w.name as hook, d.event_epoch as epoch, d.event_xid::text as xid, d.event_seq as seq,
         d.event_type as type, d.resource_id as resource, d.status
    from deliveries d join webhooks w on w.id = d.webhook_id
   order by d.event_epoch, d.event_xid, d.event_seq`;

function placeOf({ epoch, xid, seq }: Pick<Delivery, "epoch" | "xid" | "seq">): string {
  return eventIdOf({ epoch, xid: Number(xid), seq: Number(seq) });
}

function repeatsOf(evidence: Evidence) {
  let repeated = 0;
  const faults: string[] = [];
  for (const [id, { answeredAtMs }] of evidence.receiver.arrivals) {
    const [first = 0] = answeredAtMs;
    for (const againAtMs of answeredAtMs.slice(1)) {
      repeated += 1;
      if (isExcused(evidence, first, againAtMs)) continue;
      faults.push(`delivery ${id} arrived twice for no reason`);
    }
  }
  return { repeated, faults };
}

/** Deliveries about one resource arrive in order. A rejected one is repeated and may come later than others. */
function disorderOf({ receiver }: Evidence, deliveries: readonly Delivery[]): string[] {
  const lastOf = new Map<string, number>();
  const faults: string[] = [];
  for (const { id, hook, resource } of deliveries) {
    const thing = `${hook} ${resource}`;
    const { order = 0 } = receiver.arrivals.get(id) ?? {};
    if (order < (lastOf.get(thing) ?? 0)) faults.push(`delivery ${id} to ${hook} arrived too late`);
    lastOf.set(thing, Math.max(order, lastOf.get(thing) ?? 0));
  }
  return faults;
}
