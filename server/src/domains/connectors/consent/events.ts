import Type from "typebox";
import { event } from "#kernel/log/event.ts";
import { Time } from "#kernel/schema/schema.ts";

const about = {
  resource: "connector",
  data: Type.Object({ connectorId: Type.String(), grantedBy: Type.String() }),
} as const;

export const ConsentGiven = event("connector.consent_given", {
  ...about,
  summary:
    "Somebody consented that a connector acts for them at the other system. No token is told.",
});
export const ConsentWithdrawn = event("connector.consent_withdrawn", {
  ...about,
  summary: "A connector forgot what somebody had consented to.",
});
export const ConsentExpired = event("connector.consent_expired", {
  ...about,
  summary:
    "The other system does not renew what somebody had consented to; somebody must consent again.",
});
export const ConsentExpiryAnnounced = event("connector.consent_expiry_announced", {
  resource: "connector",
  summary:
    "A consent ends soon, and can't be renewed without a person; somebody must consent again.",
  data: Type.Object({ connectorId: Type.String(), grantedBy: Type.String(), expiresAt: Time }),
});
