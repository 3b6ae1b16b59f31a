import { SearchSourcePoint, searchTable } from "#kernel/contributions/search-source.ts";
import { domain } from "#kernel/domain.ts";
import { EventVisibilityPoint } from "#kernel/log/event-visibility.ts";
import { contribute } from "#kernel/extension-point.ts";
import { contacts as contactResource } from "./contact.ts";
import { contactVisibility } from "./event-visibility.ts";
import { organisations } from "./organisation.ts";
import { ContactsRead, ContactsWrite } from "./permissions.ts";

export { ContactsRead, ContactsWrite } from "./permissions.ts";
export { memberOfAddressSql } from "./contact.ts";
export {
  ensureContact,
  findContacts,
  findOwnIds,
  findPerson,
  findPersonNames,
  ownContactsSql,
  type Person,
  personId,
} from "./person.ts";

/** The event of `ensureContact`. */
export const ContactCreated = contactResource.events.created;

export const contacts = domain({
  name: "contacts",
  summary: "People who ask and are no members, and the organisations that they belong to.",
  environmentScoped: false,
  permissions: [ContactsRead, ContactsWrite],
  events: [...Object.values(contactResource.events), ...Object.values(organisations.events)],
  operations: [...contactResource.operations, ...organisations.operations],
  contributions: [
    contribute(SearchSourcePoint, {
      kind: "contact",
      permission: ContactsRead,
      search: searchTable({ table: "contacts", title: "name", detail: "address" }),
    }),
    ...contactVisibility.map((view) => contribute(EventVisibilityPoint, view)),
  ],
});
