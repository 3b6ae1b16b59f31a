import { permission } from "#kernel/access/permission.ts";

export const EventsPublish = permission("events:publish", "Publish messages on topics", [
  "builder",
  "agent",
  "change_manager",
]);
