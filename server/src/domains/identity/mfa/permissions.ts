import { permission } from "#kernel/access/permission.ts";

export const SecurityWrite = permission(
  "security:write",
  "Decide what members must do to log in",
  [],
);
