import type { Principal } from "#kernel/access/caller.ts";
import type { EventVisibility } from "#kernel/log/event-visibility.ts";

/** A file that is attached to nothing is its uploader's alone, and so is word of it; owners and admins see all. */
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
