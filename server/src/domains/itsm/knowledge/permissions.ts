import { EVERYONE, permission } from "#kernel/access/permission.ts";

export const KnowledgeRead = permission("knowledge:read", "Read knowledge articles", EVERYONE);
export const KnowledgeWrite = permission("knowledge:write", "Write knowledge articles", [
  "agent",
  "change_manager",
]);
