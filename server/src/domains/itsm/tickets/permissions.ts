import { EVERY_ROLE, permission } from "#kernel/access/permission.ts";

export const DeskRead = permission("desk:read", "See teams and how the desk is run", EVERY_ROLE);
export const DeskWrite = permission("desk:write", "Change teams and how the desk is run", []);
