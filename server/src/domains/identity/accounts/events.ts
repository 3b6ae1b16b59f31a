import { event } from "#kernel/log/event.ts";
import { User } from "./user.ts";

export const UserActivated = event("user.activated", {
  resource: "user",
  summary: "A person became an active member of the workspace.",
  data: User,
});
