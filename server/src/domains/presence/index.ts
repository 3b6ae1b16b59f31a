import { domain } from "#kernel/domain.ts";
import { getPresence, leavePresence, listPresence, putPresence } from "./operations.ts";
import { PresenceShare } from "./presence.ts";

export { type PresenceFollower, presenceWatchOf } from "./presence-watch.ts";

export const presence = domain({
  name: "presence",
  summary: "Presence: users who view or edit a resource. It is not written to the event log.",
  permissions: [PresenceShare],
  events: [],
  operations: [getPresence, leavePresence, listPresence, putPresence],
});
