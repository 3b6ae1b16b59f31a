import Type from "typebox";
import { event } from "#kernel/log/event.ts";
import { Time } from "#kernel/schema/schema.ts";

const about = {
  resource: "connector",
  data: Type.Object({ connectorId: Type.String(), grantedBy: Type.String() }),
} as const;

export const ConsentGiven = event("connector.consent_given", {
  ...about,
  summary: "A user gave consent for a connector. The event does not contain tokens.",
});
export const ConsentWithdrawn = event("connector.consent_withdrawn", {
  ...about,
  summary: "The consent of a connector was deleted.",
});
export const ConsentExpired = event("connector.consent_expired", {
  ...about,
  summary: "The consent of a connector can't be renewed. A user must consent again.",
});
export const ConsentExpiryAnnounced = event("connector.consent_expiry_announced", {
  resource: "connector",
  summary:
    "The consent of a connector ends soon and can't be renewed automatically. A user must consent again.",
  data: Type.Object({ connectorId: Type.String(), grantedBy: Type.String(), expiresAt: Time }),
});
