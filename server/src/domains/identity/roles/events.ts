import Type from "typebox";
import { changeEvent, event } from "#kernel/log/event.ts";
import { id } from "#kernel/schema/schema.ts";
import { Role, RoleId } from "./role.ts";

export const RoleCreated = event("audit.role.created", {
  resource: "role",
  summary: "A custom role was made.",
  data: Role,
});
export const RoleUpdated = changeEvent("audit.role.updated", {
  resource: "role",
  summary: "A custom role was changed.",
  data: Role,
});
export const RoleDeleted = event("audit.role.deleted", {
  resource: "role",
  summary: "A custom role was removed.",
  data: Role,
});

const Assignment = Type.Object({ userId: id("usr"), roleId: RoleId });
export const RoleAssigned = event("audit.role.assigned", {
  resource: "user",
  summary: "A member was given a role.",
  data: Assignment,
});
export const RoleUnassigned = event("audit.role.unassigned", {
  resource: "user",
  summary: "A role was taken from a member.",
  data: Assignment,
});
