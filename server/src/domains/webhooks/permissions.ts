import { permission } from "#kernel/access/permission.ts";

export const WebhooksRead = permission("webhooks:read", "See webhooks and their deliveries", [
  "builder",
  "viewer",
  "auditor",
]);
export const WebhooksWrite = permission("webhooks:write", "Create, change and test webhooks", [
  "builder",
]);
