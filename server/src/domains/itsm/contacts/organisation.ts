import Type from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Failure, failure, invalidField } from "#kernel/operation/failure.ts";
import { resource } from "#kernel/resource/resource.ts";
import { id, line, object, patch, text, Time } from "#kernel/schema/schema.ts";
import { ContactsRead, ContactsWrite } from "./permissions.ts";

const DOMAINS_MAX = 50;

/** The fields that people set and change. */
const organisationFields = {
  name: line(200),
  mailDomains: Type.Array(
    Type.String({ maxLength: 190, pattern: "^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$" }),
    {
      maxItems: DOMAINS_MAX,
      uniqueItems: true,
      description: "E-mail domains. New contacts with these domains belong to this organisation",
    },
  ),
  notes: text(10_000),
};

const Organisation = Type.Object(
  {
    id: id("org"),
    ...organisationFields,
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "Organisation" },
);

const OrganisationExists = failure(
  "organisation_exists",
  409,
  "Another organisation has this name.",
  "organisations_name",
);
const OrganisationInUse = failure(
  "organisation_in_use",
  409,
  "The organisation has contacts. Move them to another organisation first.",
);

/** An organisation of contacts, such as a customer. */
export const organisations = resource({
  name: "organisation",
  plural: "organisations",
  effect: "ordinary",
  path: "/api/v1/itsm/organisations",
  table: "organisations",
  idPrefix: "org",
  schema: Organisation,
  input: object({ ...patch(organisationFields).properties, name: organisationFields.name }),
  change: patch(organisationFields),
  defaults: { mailDomains: [], notes: "" },
  permissions: { read: ContactsRead, write: ContactsWrite },
  environmentScoped: false,
  list: { order: "name", search: ["name"] },
  unique: OrganisationExists,
  async check({ tx }, input, before) {
    if (!input.mailDomains) return input;
    const mailDomains = [
      ...new Set(input.mailDomains.map((name) => name.toLowerCase())),
    ].toSorted();
    const taken = await findTakenDomain(tx, mailDomains, before?.id ?? "");
    if (taken !== undefined) {
      const path = `/mailDomains/${input.mailDomains.findIndex((name) => name.toLowerCase() === taken)}`;
      throw invalidField(path, "belongs to another organisation");
    }
    return { ...input, mailDomains };
  },
  async beforeDelete({ tx }, organisation) {
    const text = "select from contacts where organisation_id = $1 limit 1";
    if ((await queryRows(tx, text, [organisation.id])).length > 0) {
      throw new Failure(OrganisationInUse);
    }
  },
  operations: {
    delete: { summary: "Delete an organisation without contacts", fails: [OrganisationInUse] },
  },
  docs: {
    noun: "an organisation",
    nouns: "organisations by name",
    examples: {
      id: "org_01jzt3n5k8q2x4v6w8y0z2b4d6",
      input: { name: "Lind & Sons", mailDomains: ["customer.example"] },
      change: { notes: "Premium support: response within one hour." },
    },
  },
});

const TAKEN = `
  select d as domain from organisations o, unnest(o.mail_domains) d
   where o.mail_domains && $1::text[] and o.id <> $2 and d = any ($1::text[]) order by d limit 1`;

async function findTakenDomain(
  tx: Tx,
  mailDomains: readonly string[],
  exceptId: string,
): Promise<string | undefined> {
  const [row] = await queryRows(tx, TAKEN, [mailDomains, exceptId]);
  return row && String(row["domain"]);
}

/** Finds an organisation by mail domain. The address must be lower-case. */
export async function findOrganisation(tx: Tx, address: string): Promise<string | null> {
  const domain = address.slice(address.lastIndexOf("@") + 1);
  const text =
    "select id from organisations where mail_domains && array[$1::text] order by id limit 1";
  const [row] = await queryRows(tx, text, [domain]);
  return row ? String(row["id"]) : null;
}
