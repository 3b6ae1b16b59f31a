import { EVERY_ROLE, permission } from "#kernel/permission.ts";

/**
 * Permissions that the interface promises for areas which are not built yet, so that roles and tokens
 * may name them today. An area that arrives takes its own from here.
 */
const agents = ["agent", "change_manager"] as const;
const readers = ["builder", "agent", "change_manager", "viewer", "auditor"] as const;

export const PLANNED = [
  permission("apps:deploy", "Deploy an app", ["builder"]),
  permission("incidents:read", "See incidents", readers),
  permission("incidents:write", "Raise and work on incidents", agents),
  permission("incidents:resolve", "Resolve incidents", agents),
  permission("changes:read", "See changes", readers),
  permission("problems:read", "See problems", readers),
  permission("knowledge:read", "Read knowledge articles", EVERY_ROLE),
  permission("knowledge:write", "Write knowledge articles", agents),
  permission("cmdb:read", "See configuration items", readers),
];
