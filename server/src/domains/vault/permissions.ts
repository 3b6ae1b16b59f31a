import { permission } from "#kernel/access/permission.ts";

export const SecretsRead = permission("secrets:read", "See which secrets there are", ["builder"]);
export const SecretsWrite = permission("secrets:write", "Store, rotate and delete secrets", [
  "builder",
]);
