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
    "A trigger of a workflow was subscribed at the other system, or has an address to be entered there.",
  data: Type.Object(fields),
});
export const SubscriptionEnded = event("connector.unsubscribed", {
  ...about,
  summary: "A trigger of a workflow is not subscribed at the other system any more.",
  data: Type.Object(fields),
});
export const SubscriptionFailed = event("connector.subscription_failed", {
  ...about,
  summary: "A trigger of a workflow could not be subscribed at the other system.",
  data: Type.Object({ ...fields, problem: Type.String() }),
});
