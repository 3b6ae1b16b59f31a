import { EVERY_ROLE, permission } from "#kernel/access/permission.ts";

export const AppsRead = permission("apps:read", "See apps and their deployments", EVERY_ROLE);
export const AppsWrite = permission("apps:write", "Make, change and archive apps", ["builder"]);
export const AppsDeploy = permission("apps:deploy", "Deploy an app", ["builder"]);
export const AppsUse = permission("apps:use", "Open deployed apps", EVERY_ROLE);
