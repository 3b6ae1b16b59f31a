/** Counts what a recovery would send, before somebody asks for it. */
import Type, { type Static } from "typebox";
import type { Platform } from "#kernel/contract.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { attachWhole, rootsIn } from "#kernel/log/subject-root.ts";
import { findPositionBefore, readSettledEnd, readWorkspaceLog } from "#kernel/log/workspace-log.ts";
import { canReceive } from "../audit-access.ts";
import {
  buildDeliveryId,
  compileSubscription,
  type Subscription,
} from "../sending/subscription.ts";
import { readVisibilityEverywhere } from "../sending/visibility.ts";

/** So many events are looked at for one count. */
export const COUNTED_EVENTS_MAX = 10_000;
const BATCH_EVENTS_MAX = 500;

export const Recoverable = Type.Object(
  {
    failed: Type.Integer({ description: "Failed deliveries, which would be retried" }),
    missing: Type.Integer({ description: "Matching events without a delivery" }),
    truncated: Type.Boolean({ description: "True when there may be more" }),
  },
  { title: "WebhookRecoverable" },
);

type Row = Subscription & { readonly workspace_id: string; readonly created_at: Date };

const WEBHOOK = `
  select id, workspace_id, events, environments, filter, hears_audit as "hearsAudit", created_at
    from webhooks where id = $1`;
const DELIVERIES = `
  select id, status from deliveries
   where workspace_id = $1 and webhook_id = $2 and id = any($3::text[])`;

export async function countRecovery(
  platform: Platform,
  webhookId: string,
  { since, until }: { readonly since: string; readonly until?: string | undefined },
): Promise<Static<typeof Recoverable>> {
  const { db } = platform;
  const counted = { failed: 0, missing: 0, truncated: false };
  const [webhook] = await db.system<Row>(WEBHOOK, [webhookId]);
  if (!webhook) return counted;
  const startMs = Math.max(Date.parse(since), webhook.created_at.getTime());
  const untilMs = until === undefined ? Infinity : Date.parse(until);
  let after = await findPositionBefore(db, new Date(startMs));
  const upTo = await readSettledEnd(db);
  for (let looked = 0; looked < COUNTED_EVENTS_MAX; looked += BATCH_EVENTS_MAX) {
    const range = { after, upTo };
    const events = await readWorkspaceLog(db, webhook.workspace_id, range, BATCH_EVENTS_MAX);
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

async function countBatch(platform: Platform, webhook: Row, events: readonly RecordedEvent[]) {
  const matches = compileSubscription(webhook);
  const subjects = await attachEverywhere(platform, webhook, events);
  const toVisible = await readVisibilityEverywhere(platform, subjects, () => [webhook.id]);
  const visible = subjects
    .flatMap((event) => toVisible(event, webhook.id) ?? [])
    .filter((event) => canReceive(webhook, event));
  const ids = visible.map(({ position }) => buildDeliveryId(position, webhook.id));
  const parameters = [webhook.workspace_id, webhook.id, ids];
  const rows = await platform.db.system<{ id: string; status: string }>(DELIVERIES, parameters);
  const known = new Set(rows.map(({ id }) => id));
  return {
    failed: rows.filter(({ status }) => status === "failed").length,
    missing: visible.filter((event, n) => !known.has(ids[n] ?? "") && matches(event)).length,
  };
}

/** The events of every environment, with the resources that the condition asks for. */
async function attachEverywhere(
  { db, contributions }: Platform,
  { filter }: Row,
  events: readonly RecordedEvent[],
): Promise<readonly RecordedEvent[]> {
  const roots = rootsIn(filter, { contributions });
  if (roots.length === 0) return events;
  const attached: RecordedEvent[] = [];
  for (const group of Map.groupBy(events, ({ environment }) => environment).values()) {
    const [first] = group;
    if (!first) continue;
    const partition = { workspace: first.workspace, environment: first.environment };
    attached.push(...(await db.read(partition, (tx) => attachWhole(tx, roots, group))));
  }
  return attached;
}
