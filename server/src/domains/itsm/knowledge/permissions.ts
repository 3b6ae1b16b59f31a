import { EVERY_ROLE, permission } from "#kernel/access/permission.ts";

export const KnowledgeRead = permission("knowledge:read", "Read knowledge articles", EVERY_ROLE);
export const KnowledgeWrite = permission("knowledge:write", "Write knowledge articles", [
  "agent",
  "change_manager",
]);
