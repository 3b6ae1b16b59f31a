/** Notifies owners about automations that stopped because their member left. */
import Type from "typebox";
import { type NotificationRule } from "#kernel/contributions/notification-rule.ts";
import { UnattendedWorkPoint } from "#kernel/contributions/unattended-work.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { event, type RecordedEvent } from "#kernel/log/event.ts";
import { reader } from "#kernel/readers/reader.ts";
import { id, nullable } from "#kernel/schema/schema.ts";
import { UserDeactivated } from "./events.ts";

const ITEMS_MAX = 500;
const NAMED_MAX = 20;
const ENVIRONMENTS = ["production", "staging", "development"] as const;

const StoppedItem = Type.Object({
  kind: Type.String({
    description: "`workflow`, `webhook`, `artifact`, `connector`, `app` or `kpi`",
  }),
  id: Type.String(),
  name: Type.String(),
  environment: nullable(Type.String({ description: "Null for all" })),
});

export const AutomationsStopped = event("user.automations_stopped", {
  resource: "user",
  summary:
    "A member left whose automations are now stopped until another member saves or deploys them.",
  data: Type.Object({
    userId: id("usr"),
    items: Type.Array(StoppedItem, { description: `At most ${ITEMS_MAX}` }),
  }),
});

export const stoppedAutomationReader = reader({
  name: "members.stopped_automations",
  on: [UserDeactivated.type],
  startsAt: "end",
  emits: [AutomationsStopped],
  async handle(ctx, events) {
    for (const left of events) {
      const because = ctx.because(left);
      const items = await listStopped(because, left);
      if (items.length === 0) continue;
      const { id: userId, displayName } = left.resource;
      because.emit(
        AutomationsStopped,
        { id: userId, displayName: displayName ?? userId },
        { userId, items },
      );
    }
  },
});

export const stoppedNotification: NotificationRule = {
  on: AutomationsStopped,
  to: ["owner", "admin"],
  title: ({ resource, data }) =>
    `${resource.displayName ?? resource.id} has left, and ${itemsOf(data).length} automations have stopped`,
  body: ({ data }) => {
    const items = itemsOf(data);
    const named = items.slice(0, NAMED_MAX).map(({ kind, name }) => `${kind} ${name}`);
    const rest = items.length > NAMED_MAX ? `, and ${items.length - NAMED_MAX} more` : "";
    return `Save or deploy them to have them act in your name: ${named.join(", ")}${rest}.`;
  },
};

interface StoppedItem {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly environment: string | null;
}

async function listStopped(
  ctx: WriteContext<typeof AutomationsStopped>,
  { resource: { id: userId }, workspace, environment: home }: RecordedEvent,
): Promise<StoppedItem[]> {
  const found = new Map<string, StoppedItem>();
  for (const environment of ENVIRONMENTS) {
    ctx.switchPartition({ workspace, environment });
    for (const { kind, list } of contributionsTo(UnattendedWorkPoint, ctx.services.contributions)) {
      for (const item of await list(ctx.tx, userId, ITEMS_MAX)) {
        found.set(`${kind} ${item.id} ${item.environment}`, { kind, ...item });
      }
    }
  }
  ctx.switchPartition({ workspace, environment: home });
  return [...found.values()].slice(0, ITEMS_MAX);
}

function itemsOf(data: RecordedEvent["data"]): readonly StoppedItem[] {
  // Only this file writes it.
  return data["items"] as readonly StoppedItem[];
}
