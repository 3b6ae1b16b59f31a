import { domain } from "#kernel/domain.ts";
import { getPresence, leavePresence, listPresence, putPresence } from "./operations.ts";
import { PresenceShare } from "./presence.ts";

export { type PresenceFollower, presenceWatchOf } from "./presence-watch.ts";

export const presence = domain({
  name: "presence",
  summary: "Who is at something right now: the one thing that no log keeps.",
  permissions: [PresenceShare],
  events: [],
  operations: [getPresence, leavePresence, listPresence, putPresence],
});
