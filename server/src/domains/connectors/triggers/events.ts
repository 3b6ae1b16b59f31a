import Type from "typebox";
import { event } from "#kernel/log/event.ts";

const about = { resource: "connector" } as const;
const fields = {
  connectorId: Type.String(),
  workflowId: Type.String(),
  triggerId: Type.String(),
};

export const SubscriptionMade = event("connector.subscribed", {
  ...about,
  summary:
    "A trigger of a workflow was registered at the other system, or it has a URL to register there.",
  data: Type.Object(fields),
});
export const SubscriptionEnded = event("connector.unsubscribed", {
  ...about,
  summary: "A trigger of a workflow was unregistered at the other system.",
  data: Type.Object(fields),
});
export const SubscriptionFailed = event("connector.subscription_failed", {
  ...about,
  summary: "A trigger of a workflow could not be registered at the other system.",
  data: Type.Object({ ...fields, problem: Type.String() }),
});
