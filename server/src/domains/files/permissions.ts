import { EVERYONE, permission } from "#kernel/access/permission.ts";

export const FilesRead = permission("files:read", "Read files that one may see", EVERYONE);
export const FilesWrite = permission("files:write", "Upload and delete files of one's own", [
  "builder",
  "agent",
  "change_manager",
  "member",
  "requester",
]);
export const FilesManage = permission("files:manage", "See what files take up", []);
