import type { Principal } from "#kernel/access/caller.ts";
import { EVERYONE, permission } from "#kernel/access/permission.ts";
import type { EventVisibility } from "#kernel/log/event-visibility.ts";

export const FilesRead = permission("files:read", "Read visible files", EVERYONE);
export const FilesWrite = permission("files:write", "Upload and delete own files", [
  "builder",
  "agent",
  "change_manager",
  "member",
  "requester",
]);
export const FilesManage = permission("files:manage", "View storage usage", []);

/** Only its uploader sees an unattached file and its events. Owners and admins see all. */
export const fileEventVisibility: EventVisibility = {
  resourceType: "file",
  filtersFor: async (_context, events) =>
    events.map((event) => (person) => {
      const isSeen =
        !person ||
        person.roles.length === 0 ||
        seesAll(person) ||
        event.data["createdBy"] === person.id;
      return isSeen ? event : undefined;
    }),
  visibleSql: async (_context, person, parameters) =>
    seesAll(person) ? "true" : `e.data ->> 'createdBy' = ${parameters.add(person.id, "text")}`,
};

function seesAll({ roles }: Principal): boolean {
  return roles.includes("owner") || roles.includes("admin");
}
