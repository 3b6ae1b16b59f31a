import { type Selectable, sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { CAUSATION_DEPTH_MAX, type LogPosition, type RecordedEvent } from "#kernel/log/event.ts";
import type { VisibilityContext } from "#kernel/log/event-visibility.ts";
import { positionOfRow } from "#kernel/log/event-log.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { compileSubscriptionStart, type StartFilter } from "#kernel/log/subscription-start.ts";
import type { Tables } from "../../../tables.ts";
import { insertDeliveries } from "../sending/fan-out.ts";
import { compileSubscription } from "../sending/subscription.ts";
import type { DeliveryTarget } from "../sending/pending-delivery.ts";
import type { PayloadFormat } from "../sending/payload.ts";
import { visibilityIn } from "../sending/visibility.ts";

/** A webhook to which past events are to be handed out. */
export interface ReplayTarget extends DeliveryTarget {
  readonly status: string;
  /** Where it stopped hearing, for as long as the reader passes over it. */
  readonly place: LogPosition | undefined;
  readonly hearsAudit: boolean;
  readonly wants: (event: RecordedEvent) => boolean;
  /** Whether the event came after the moment from which on it hears. */
  readonly hearsFrom: StartFilter;
}

type Row = Pick<
  Selectable<Tables["webhooks"]>,
  | "id"
  | "lane"
  | "url"
  | "format"
  | "status"
  | "events"
  | "environments"
  | "since_epoch"
  | "since_event"
> & {
  readonly filter: Record<string, unknown> | null;
  readonly hearsAudit: boolean;
  readonly since: string;
  readonly place_epoch: number;
  readonly place_xid: string | null;
  readonly place_seq: number;
};

/** As it is now, and as it stays until the transaction ends: nobody pauses or deletes it meanwhile. */
export async function lockReplayTarget(
  tx: Tx,
  webhookId: string,
): Promise<ReplayTarget | undefined> {
  const { rows } = await sql<Row>`
    select id, lane, url, format, status, events, environments, filter,
           hears_audit as "hearsAudit", since_epoch, since::text as since, since_event,
           place_epoch, place_xid, place_seq
      from webhooks where id = ${webhookId} for update`.execute(tx);
  return rows.map(toListener)[0];
}

/**
 * Makes the deliveries of past events that are missing. Each is written in its event's environment;
 * the act ends up where it began.
 */
export async function replayEventsTo(
  ctx: WriteContext<never>,
  to: DeliveryTarget,
  events: readonly RecordedEvent[],
): Promise<void> {
  for (const [environment, group] of Map.groupBy(events, (event) => event.environment)) {
    await isInRange(ctx, environment, () =>
      insertDeliveries(
        ctx.tx,
        ctx.now,
        group.map((event) => ({ to, event })),
      ),
    );
  }
}

/** Past events as a webhook hears of them, if it does. */
export async function matchesTarget(
  ctx: WriteContext<never>,
  { id }: Pick<DeliveryTarget, "id">,
  events: readonly RecordedEvent[],
): Promise<RecordedEvent[]> {
  const { tx, services, caller } = ctx;
  const heard: RecordedEvent[] = [];
  for (const [environment, group] of Map.groupBy(events, (event) => event.environment)) {
    const partition = { workspace: caller.workspace?.key ?? "", environment };
    const read: VisibilityContext["read"] = (work) => isInRange(ctx, environment, () => work(tx));
    const hear = await visibilityIn(tx, { services, partition, read }, group, () => [id]);
    heard.push(...group.flatMap((event) => hear(event, id) ?? []));
  }
  return heard;
}

/** Does something in another environment of the workspace that the act is in. */
export async function isInRange<T>(
  { caller, switchPartition: enter }: WriteContext<never>,
  environment: EnvironmentName,
  work: () => Promise<T>,
): Promise<T> {
  if (!caller.workspace) throw new Error("A webhook belongs to a workspace.");
  const { key } = caller.workspace;
  enter({ workspace: key, environment });
  const result = await work();
  enter({ workspace: key, environment: caller.environment });
  return result;
}

function toListener(row: Row): ReplayTarget {
  const { id, lane, url, status, place_epoch: epoch, place_xid: xid, place_seq: seq } = row;
  const wants = compileSubscription(row);
  return {
    id,
    lane,
    url,
    status,
    hearsAudit: row.hearsAudit,
    // What the table has as text, only this domain writes.
    format: row.format as PayloadFormat,
    place: xid === null ? undefined : positionOfRow({ epoch, xid, seq }),
    // A chain of automations that is cut is not continued here.
    wants: (event) => event.depth <= CAUSATION_DEPTH_MAX && wants(event),
    hearsFrom: compileSubscriptionStart({
      epoch: row.since_epoch,
      snapshot: row.since,
      event: row.since_event,
    }),
  };
}
