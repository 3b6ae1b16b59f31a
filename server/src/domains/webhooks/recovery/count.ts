/** Counts the events that a recovery would send, before it is requested. */
import Type, { type Static } from "typebox";
import type { Platform } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { attachWhole, rootsIn } from "#kernel/condition/subject-root.ts";
import { findPositionBefore, readSettledEnd, readWorkspaceLog } from "#kernel/log/workspace-log.ts";
import { canReceive } from "../audit-access.ts";
import {
  buildDeliveryId,
  compileSubscription,
  type Subscription,
} from "../sending/subscription.ts";
import { readVisibilityEverywhere } from "../sending/visibility.ts";
import type { Webhook } from "../webhook.ts";

/** The maximum number of events that one count scans. */
export const COUNTED_EVENTS_MAX = 10_000;
const BATCH_EVENTS_MAX = 500;

export const Recoverable = Type.Object(
  {
    failed: Type.Integer({ description: "Failed deliveries, which would be retried" }),
    missing: Type.Integer({ description: "Matching events without a delivery" }),
    truncated: Type.Boolean({ description: "True if there may be more" }),
  },
  { title: "WebhookRecoverable" },
);

type Counted = Subscription & Pick<Webhook, "createdAt">;

export async function countRecovery(
  platform: Platform,
  workspace: string,
  webhook: Counted,
  { since, until }: { readonly since: string; readonly until?: string | undefined },
): Promise<Static<typeof Recoverable>> {
  const { db } = platform;
  const counted = { failed: 0, missing: 0, truncated: false };
  const startMs = Math.max(Date.parse(since), Date.parse(webhook.createdAt));
  const untilMs = until === undefined ? Infinity : Date.parse(until);
  let after = await findPositionBefore(db, new Date(startMs));
  const upTo = await readSettledEnd(db);
  for (let looked = 0; looked < COUNTED_EVENTS_MAX; looked += BATCH_EVENTS_MAX) {
    const range = { after, upTo };
    const events = await readWorkspaceLog(db, workspace, range, BATCH_EVENTS_MAX);
    const within = events.filter(({ createdAt }) => {
      const atMs = Date.parse(createdAt);
      return atMs >= startMs && atMs < untilMs;
    });
    const { failed, missing } = await countBatch(platform, webhook, within);
    counted.failed += failed;
    counted.missing += missing;
    const last = events.at(-1);
    if (!last || events.length < BATCH_EVENTS_MAX) return counted;
    after = last.position;
  }
  return { ...counted, truncated: true };
}

async function countBatch(platform: Platform, webhook: Counted, events: readonly RecordedEvent[]) {
  const counted = { failed: 0, missing: 0 };
  for (const group of Map.groupBy(events, ({ environment }) => environment).values()) {
    const { failed, missing } = await countPartition(platform, webhook, group);
    counted.failed += failed;
    counted.missing += missing;
  }
  return counted;
}

const DELIVERIES =
  "select id, status from deliveries where webhook_id = $1 and id = any($2::text[])";

/** Counts for events of one environment. */
async function countPartition(
  platform: Platform,
  webhook: Counted,
  events: readonly RecordedEvent[],
) {
  const [first] = events;
  if (!first) return { failed: 0, missing: 0 };
  const partition = { workspace: first.workspace, environment: first.environment };
  const read = <T>(work: (tx: Tx) => Promise<T>) => platform.db.read(partition, work);
  const roots = rootsIn(webhook.filter, platform);
  const subjects = await read((tx) => attachWhole(tx, roots, events));
  const toVisible = await readVisibilityEverywhere(platform, subjects, () => [webhook.id]);
  const visible = subjects
    .flatMap((event) => toVisible(event, webhook.id) ?? [])
    .filter((event) => canReceive(webhook, event));
  const ids = visible.map(({ position }) => buildDeliveryId(position, webhook.id));
  const rows = await read((tx) =>
    queryRows<{ readonly id: string; readonly status: string }>(tx, DELIVERIES, [webhook.id, ids]),
  );
  const matches = compileSubscription(webhook);
  const known = new Set(rows.map(({ id }) => id));
  return {
    failed: rows.filter(({ status }) => status === "failed").length,
    missing: visible.filter((event, n) => !known.has(ids[n] ?? "") && matches(event)).length,
  };
}
