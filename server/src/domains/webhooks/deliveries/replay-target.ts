import { type Selectable, sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import type { Condition } from "#kernel/condition/condition.ts";
import { CAUSATION_DEPTH_MAX, type LogPosition, type RecordedEvent } from "#kernel/log/event.ts";
import type { VisibilityContext } from "#kernel/log/event-visibility.ts";
import { positionOfRow } from "#kernel/log/event-log.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { compileSubscriptionStart, type StartFilter } from "#kernel/log/subscription-start.ts";
import type { Tables } from "../../../tables.ts";
import { insertDeliveries } from "../sending/fan-out.ts";
import { attachWhole, rootsIn } from "#kernel/condition/subject-root.ts";
import { compileSubscription } from "../sending/subscription.ts";
import type { DeliveryTarget } from "../sending/pending-delivery.ts";
import type { PayloadFormat } from "../sending/payload.ts";
import { readVisibility } from "../sending/visibility.ts";

/** A webhook for which past events are fanned out. */
export interface ReplayTarget extends DeliveryTarget {
  readonly status: string;
  /** The position of its last event, as long as the fan-out reader skips it. */
  readonly position: LogPosition | undefined;
  readonly filter: Condition | null;
  readonly hearsAudit: boolean;
  readonly matches: (event: RecordedEvent) => boolean;
  /** Returns whether an event is after the start of the subscription. */
  readonly isAfterStart: StartFilter;
}

type Row = Pick<
  Selectable<Tables["webhooks"]>,
  "id" | "url" | "format" | "status" | "events" | "environments" | "since_epoch" | "since_event"
> & {
  readonly shard: number;
  readonly filter: Record<string, unknown> | null;
  readonly hearsAudit: boolean;
  readonly since: string;
  readonly place_epoch: number;
  readonly place_xid: string | null;
  readonly place_seq: number;
};

/** Locks the webhook until the transaction ends, so that it cannot be paused or deleted. */
export async function lockReplayTarget(
  tx: Tx,
  webhookId: string,
): Promise<ReplayTarget | undefined> {
  const { rows } = await sql<Row>`
    select id, lane as shard, url, format, status, events, environments, filter,
           hears_audit as "hearsAudit", since_epoch, since::text as since, since_event,
           place_epoch, place_xid, place_seq
      from webhooks where id = ${webhookId} for update`.execute(tx);
  return rows.map(toReplayTarget)[0];
}

/**
 * Inserts the missing deliveries of past events, each in the environment of its event; the transaction returns to
 * its own environment. Resolves to their number.
 */
export async function replayEventsTo(
  ctx: WriteContext<never>,
  to: DeliveryTarget,
  events: readonly RecordedEvent[],
): Promise<number> {
  let inserted = 0;
  for (const [environment, group] of Map.groupBy(events, (event) => event.environment)) {
    const written = await runInEnvironment(ctx, environment, () =>
      insertDeliveries(
        ctx.tx,
        ctx.now,
        group.map((event) => ({ to, event })),
      ),
    );
    inserted += written.length;
  }
  return inserted;
}

/** Applies the visibility of a webhook to past events, and drops those that it may not see. */
export async function filterVisible(
  ctx: WriteContext<never>,
  { id, filter }: Pick<DeliveryTarget, "id"> & { readonly filter: Condition | null },
  events: readonly RecordedEvent[],
): Promise<RecordedEvent[]> {
  const { tx, services, caller } = ctx;
  const roots = rootsIn(filter, services);
  const visible: RecordedEvent[] = [];
  for (const [environment, group] of Map.groupBy(events, (event) => event.environment)) {
    const partition = { workspace: caller.workspace?.key ?? "", environment };
    const read: VisibilityContext["read"] = (work) =>
      runInEnvironment(ctx, environment, () => work(tx));
    const subjects = await read(() => attachWhole(tx, roots, group));
    const toVisible = await readVisibility(tx, { services, partition, read }, subjects, () => [id]);
    visible.push(...subjects.flatMap((event) => toVisible(event, id) ?? []));
  }
  return visible;
}

/** Runs work in another environment of the transaction's workspace. */
export async function runInEnvironment<T>(
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

function toReplayTarget(row: Row): ReplayTarget {
  const {
    id,
    shard,
    url,
    status,
    filter,
    place_epoch: epoch,
    place_xid: xid,
    place_seq: seq,
  } = row;
  const matches = compileSubscription(row);
  return {
    id,
    shard,
    url,
    status,
    filter,
    hearsAudit: row.hearsAudit,
    // The column is text, and only this domain writes it.
    format: row.format as PayloadFormat,
    position: xid === null ? undefined : positionOfRow({ epoch, xid, seq }),
    // A causal chain that exceeded the maximum depth is not continued here.
    matches: (event) => event.depth <= CAUSATION_DEPTH_MAX && matches(event),
    isAfterStart: compileSubscriptionStart({
      epoch: row.since_epoch,
      snapshot: row.since,
      event: row.since_event,
    }),
  };
}
