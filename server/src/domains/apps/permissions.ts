import { EVERY_ROLE, permission } from "#kernel/access/permission.ts";

export const AppsRead = permission("apps:read", "View apps and their deployments", EVERY_ROLE);
export const AppsWrite = permission("apps:write", "Create, update and archive apps", ["builder"]);
export const AppsDeploy = permission("apps:deploy", "Deploy apps", ["builder"]);
export const AppsUse = permission("apps:use", "Open deployed apps", EVERY_ROLE);
