import { viewerLookup } from "#domains/identity/roles/index.ts";
import type { EventVisibility } from "#kernel/log/event-visibility.ts";
import { ContactsRead } from "./permissions.ts";

/** Events about contacts and organisations are for those who may see these: they have addresses and notes. */
export const contactVisibility: readonly EventVisibility[] = ["contact", "organisation"].map(
  (resourceType) => ({
    resourceType,
    async filtersFor(position, events) {
      const viewerOf = await viewerLookup(position);
      return events.map((event) => (person) => {
        // A webhook or a workflow belongs to the workspace, and goes on when its author has left.
        if (!person || person.roles.length === 0) return event;
        return viewerOf(person).permissions.has(ContactsRead.name) ? event : undefined;
      });
    },
    async visibleSql(position, person) {
      const { permissions } = (await viewerLookup(position))(person);
      return String(permissions.has(ContactsRead.name));
    },
  }),
);
