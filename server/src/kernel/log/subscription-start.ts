import type { RecordedEvent } from "./event.ts";

/** The start of a subscription: events visible in this snapshot are not delivered. */
export interface SubscriptionStart {
  readonly epoch: number;
  /** In PostgreSQL's format: `xmin:xmax:` and the active transactions between them. */
  readonly snapshot: string;
  /** The id of the first event, if there is one. */
  readonly event?: string | null;
}

/** True for events after the start of the subscription. */
export type StartFilter = (
  event: Pick<RecordedEvent, "id" | "position" | "transaction">,
) => boolean;

export function compileSubscriptionStart({
  epoch,
  snapshot,
  event: first,
}: SubscriptionStart): StartFilter {
  const [xmin = 0, xmax = 0] = snapshot.split(":", 2).map(Number);
  const underWay = new Set(snapshot.split(":")[2]?.split(",").map(Number));
  const visible = (xid: number): boolean => xid < xmin || (xid < xmax && !underWay.has(xid));
  return ({ id, position, transaction }) =>
    (position.epoch > epoch || (position.epoch === epoch && !visible(transaction))) &&
    (!first || id >= first);
}
