import { viewerLookup } from "#domains/identity/roles/index.ts";
import type { EventVisibility } from "#kernel/log/event-visibility.ts";
import { MailRead } from "./permissions.ts";

/** Events of mails name people outside and what they wrote to: they are for those who may see mails. */
export const mailEventVisibility: readonly EventVisibility[] = ["mail", "mailbox"].map(
  (resourceType) => ({
    resourceType,
    async filtersFor(position, events) {
      const viewerOf = await viewerLookup(position);
      return events.map((event) => (person) => {
        // A webhook or a workflow belongs to the workspace, and goes on when its author has left.
        if (!person || person.roles.length === 0) return event;
        return viewerOf(person).permissions.has(MailRead.name) ? event : undefined;
      });
    },
    async visibleSql(position, person) {
      const viewer = (await viewerLookup(position))(person);
      return viewer.permissions.has(MailRead.name) ? "true" : "false";
    },
  }),
);
