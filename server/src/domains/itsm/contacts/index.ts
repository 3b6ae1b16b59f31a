import { SearchSourcePoint, searchTable } from "#kernel/contributions/search-source.ts";
import { domain } from "#kernel/domain.ts";
import { viewerLookup } from "#domains/identity/roles/index.ts";
import { type EventVisibility, EventVisibilityPoint } from "#kernel/log/event-visibility.ts";
import { contribute } from "#kernel/extension-point.ts";
import { contacts as contactResource } from "./contact.ts";
import { organisations } from "./organisation.ts";
import { ContactsRead, ContactsWrite } from "./permissions.ts";

export { ContactsRead, ContactsWrite } from "./permissions.ts";
export { memberOfAddressSql } from "./contact.ts";
export {
  ensureContact,
  findContacts,
  findOwnIds,
  findPeopleByWords,
  findPerson,
  findPersonNames,
  ownContactsSql,
  type Person,
  personId,
} from "./person.ts";

/**
 * Events about contacts and organisations contain addresses and notes, so only members with read permission see them.
 */
const contactVisibility: readonly EventVisibility[] = ["contact", "organisation"].map(
  (resourceType) => ({
    resourceType,
    async filtersFor(position, events) {
      const viewerOf = await viewerLookup(position);
      return events.map((event) => (person) => {
        // Webhooks and workflows belong to the workspace, and continue after their author leaves.
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

/** The event of `ensureContact`. */
export const ContactCreated = contactResource.events.created;

export const contacts = domain({
  name: "contacts",
  summary: "Contacts outside the workspace, and their organisations.",
  environmentScoped: false,
  permissions: [ContactsRead, ContactsWrite],
  events: [...Object.values(contactResource.events), ...Object.values(organisations.events)],
  operations: [...contactResource.operations, ...organisations.operations],
  contributions: [
    contribute(SearchSourcePoint, {
      kind: "contact",
      permission: ContactsRead,
      search: searchTable({
        table: "contacts",
        title: "name",
        detail: "address",
        also: ["address"],
        indexed: "contact",
      }),
    }),
    ...contactVisibility.map((view) => contribute(EventVisibilityPoint, view)),
  ],
});
