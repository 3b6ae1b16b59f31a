import { permission } from "#kernel/access/permission.ts";

const readers = ["builder", "agent", "change_manager", "viewer", "auditor"] as const;
const agents = ["agent", "change_manager"] as const;

export const IncidentsRead = permission("incidents:read", "See incidents", readers);
export const IncidentsWrite = permission("incidents:write", "Raise and work on incidents", agents);
export const IncidentsResolve = permission("incidents:resolve", "Resolve incidents", agents);
