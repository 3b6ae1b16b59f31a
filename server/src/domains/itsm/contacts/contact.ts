import Type, { type Static } from "typebox";
import { Email } from "#domains/identity/accounts/index.ts";
import { failure, invalidField } from "#kernel/operation/failure.ts";
import { resource } from "#kernel/resource/resource.ts";
import { id, line, nullable, object, patch, text, Time } from "#kernel/schema/schema.ts";
import { findOrganisation, organisations } from "./organisation.ts";
import { ContactsRead, ContactsWrite } from "./permissions.ts";

/** The fields that people set and change. */
const contactFields = {
  name: line(100),
  address: nullable(
    Type.String({
      ...Email,
      description: "E-mail address, stored in lower case. Without it, `phone` is required",
    }),
  ),
  phone: nullable(line(50)),
  organisationId: nullable(
    id("org", "Default for new contacts: the organisation with the domain of the e-mail address"),
  ),
  language: nullable(line(35, "BCP 47 language tag, such as `de-CH`")),
  notes: text(10_000),
};

export const Contact = Type.Object(
  {
    id: id("cnt"),
    ...contactFields,
    userId: nullable(
      id(
        "usr",
        "The active member with this verified e-mail address. The tickets of the contact belong to this member",
      ),
    ),
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "Contact" },
);
export type Contact = Static<typeof Contact>;

const ContactExists = failure(
  "contact_exists",
  409,
  "Another contact has this address.",
  "contacts_address",
);

/**
 * Returns SQL for the member with a contact's address. The link is never stored, so unverified addresses are
 * not linked and former members are unlinked. The workspace's identity provider verifies addresses.
 */
export function memberOfAddressSql(address: string): string {
  return `(select u.id from users u
             join memberships m on m.user_id = u.id and m.status = 'active'
              and m.workspace_id = current_setting('millrace.workspace')::uuid
            where u.email = ${address} and u.status = 'active'
              and (u.email_verified_at is not null or u.managed_by = m.workspace_id)
            order by u.managed_by nulls last limit 1)`;
}

/** Throws 422 for a contact without an address and a telephone number. */
function assertReachable({ address, phone }: Partial<Pick<Contact, "address" | "phone">>): void {
  if (address || phone) return;
  throw invalidField("/address", "is required without a phone number");
}

/** A person without membership, for example a customer. Can be a ticket's caller. */
export const contacts = resource({
  name: "contact",
  plural: "contacts",
  effect: "ordinary",
  path: "/api/v1/itsm/contacts",
  table: "contacts",
  idPrefix: "cnt",
  schema: Contact,
  computed: { userId: memberOfAddressSql("contacts.address") },
  input: object({
    ...patch(contactFields).properties,
    name: contactFields.name,
  }),
  change: patch(contactFields),
  defaults: { address: null, phone: null, language: null, notes: "" },
  permissions: { read: ContactsRead, write: ContactsWrite },
  environmentScoped: false,
  list: {
    order: "name",
    search: ["name", "address"],
    filters: { organisationId: Type.Optional(id("org")) },
  },
  unique: ContactExists,
  async check({ tx }, input, before) {
    const address = input.address?.toLowerCase() ?? input.address;
    const { organisationId } = input;
    assertReachable({ ...before, ...input });
    if (typeof organisationId === "string" && !(await organisations.store.find(tx, organisationId)))
      throw invalidField("/organisationId", "is not the id of an organisation");
    const found =
      organisationId === undefined && !before && typeof address === "string"
        ? { organisationId: await findOrganisation(tx, address) }
        : {};
    return { ...input, ...(address !== undefined && { address }), ...found };
  },
  operations: {
    create: {
      description:
        "By default, the contact belongs to the organisation with the domain of the e-mail address.",
    },
    delete: {
      description: "Tickets keep the id of the contact. The name and the address are deleted.",
    },
  },
  docs: {
    noun: "a contact",
    nouns: "contacts by name",
    events: {
      created: "A contact was created, manually or by their first e-mail.",
      updated: "A contact was updated.",
    },
    examples: {
      id: "cnt_01jzt3n5k8q2x4v6w8y0z2b4d6",
      input: { name: "Rosa Lind", address: "rosa@customer.example" },
      change: { phone: "+41 44 555 01 02" },
    },
  },
});
