import { domain } from "#kernel/domain.ts";
import { listPermissions } from "./operations.ts";
import { Profile, RolesRead } from "./permissions.ts";

export const roles = domain({
  name: "roles",
  summary: "What a member may do.",
  permissions: [Profile, RolesRead],
  events: [],
  operations: [listPermissions],
});
