/** Services whose records are made, read, changed and deleted by plain paths. */
import { NotConvertible } from "../../conversion.ts";
import { toObject, toText } from "../../n8n-workflow.ts";
import {
  type FieldSource,
  fields,
  members,
  pairsCode,
  type ParameterReader,
  request,
  type ServiceAction,
  type ServiceTable,
  together,
} from "../service-table.ts";

interface Records {
  readonly resource: string;
  /** Such as `/users`; parameters in braces. */
  readonly path: string;
  /** The parameter that has the id. */
  readonly id: string;
  readonly body?: FieldSource;
  readonly change?: FieldSource;
  /** The method of a change. */
  readonly method?: "PUT" | "PATCH";
  /** Code of the record in an answer, and of the list. */
  readonly one?: string;
  readonly list?: string;
  /** The field of a query that says how many are read. */
  readonly size?: string;
  readonly takes?: string;
  readonly sample?: Readonly<Record<string, string>>;
}

/** The five lines of records. */
function records(about: Records): ServiceAction[] {
  const { resource, path, id, method = "PUT", one = "n8n.toList([one.body])" } = about;
  const { body = members("additionalFields"), change = members("updateFields") } = about;
  const takes = `additionalFields updateFields ${about.takes ?? ""}`;
  // For the test: what the path names.
  const inPath = Object.fromEntries(
    [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, "1"]),
  );
  const sample = { ...inPath, [id]: "1" };
  return [
    {
      on: `${resource}.create`,
      action: "request",
      input: request(`POST ${path}`, { body }),
      items: `=${one}`,
      takes,
      sample: { ...about.sample },
    },
    {
      on: `${resource}.update`,
      action: "request",
      input: request(`${method} ${path}/{${id}}`, { body: change }),
      items: `=${one}`,
      takes,
      sample,
    },
    {
      on: `${resource}.get`,
      action: "request",
      input: request(`GET ${path}/{${id}}`),
      items: `=${one}`,
      sample,
    },
    {
      on: `${resource}.delete`,
      action: "request",
      input: request(`DELETE ${path}/{${id}}`),
      items: "=[{ success: true }]",
      sample,
    },
    {
      on: `${resource}.getAll`,
      action: "request",
      input: request(`GET ${path}`, { query: { [about.size ?? "per_page"]: "=100" } }),
      items: `=${about.list ?? "n8n.toList(one.body)"}`,
      isList: true,
      takes: "filters options additionalFields",
      notes: ["of a list, the first page is read, whatever it is filtered by"],
      sample: inPath,
    },
  ];
}

/** Fields of one's own, which a node has as a list. */
const customPairs = (group: string) => (read: ParameterReader) =>
  pairsCode(
    toObject(toObject(read.raw(group))["customFieldsUi"])["customFieldPairs"],
    "name",
    "value",
  );

const person = (group: string) =>
  together(
    fields({ firstname: "firstname", lastname: "lastname", name: "name" }),
    members(group),
    customPairs(group),
  );

/** A contact of Mautic: the names of a node are others than those of the API. */
const mauticNames = { firstName: "firstname", lastName: "lastname" };
const mauticContact = (group: string) =>
  together(
    fields({
      email: "email",
      firstname: "firstName",
      lastname: "lastName",
      company: "company",
      title: "title",
      position: "position",
    }),
    members(group, mauticNames),
  );

const STATUS: Readonly<Record<string, number>> = { open: 2, pending: 3, resolved: 4, closed: 5 };
const PRIORITY: Readonly<Record<string, number>> = { low: 1, medium: 2, high: 3, urgent: 4 };
const SOURCE: Readonly<Record<string, number>> = { email: 1, portal: 2, phone: 3, chat: 7 };

const freshTicket = (read: ParameterReader): string => {
  const number = (path: string, of: Readonly<Record<string, number>>, usual: string): string => {
    const known = of[toText(read.raw(path), usual)];
    if (known === undefined) throw new NotConvertible(`has a ${path} by expression`);
    return String(known);
  };
  const by = { requesterId: "requester_id", facebookId: "facebook_id", twitterId: "twitter_id" };
  const requester = toText(read.raw("requester"), "requesterId");
  const name = Object.hasOwn(by, requester) ? by[requester as keyof typeof by] : requester;
  return `{ ${JSON.stringify(name)}: ${read.text("requesterIdentificationValue")}, status: ${number("status", STATUS, "pending")}, priority: ${number("priority", PRIORITY, "low")}, source: ${number("source", SOURCE, "portal")}, subject: ${read.text("options.subject")} || null, description: ${read.text("options.description")} || ${read.text("options.subject")}, type: ${read.code("options.type") ?? "undefined"}, tags: n8n.list(${read.code("options.tags") ?? '""'}) }`;
};

const CLOCKIFY = "/workspaces/{workspaceId}";

export const recordServices: ServiceTable = {
  zammad: {
    preset: "zammad",
    title: "Zammad",
    base: "https://YOUR-ZAMMAD/api/v1",
    usual: "user.create organization.create group.create ticket.create",
    actions: [
      ...records({
        resource: "user",
        path: "/users",
        id: "id",
        body: person("additionalFields"),
        change: person("updateFields"),
        takes: "firstname lastname",
        sample: { firstname: "f", lastname: "l" },
      }),
      ...records({
        resource: "organization",
        path: "/organizations",
        id: "id",
        body: person("additionalFields"),
        change: person("updateFields"),
      }),
      ...records({
        resource: "group",
        path: "/groups",
        id: "id",
        body: person("additionalFields"),
        change: person("updateFields"),
      }),
      ...records({ resource: "ticket", path: "/tickets", id: "id" }).filter(
        ({ on }) => !on.endsWith("create"),
      ),
    ],
  },
  freshdesk: {
    preset: "freshdesk",
    title: "Freshdesk",
    base: "https://YOUR-DOMAIN.freshdesk.com/api/v2",
    usual: "ticket.create contact.create",
    actions: [
      ...records({
        resource: "ticket",
        path: "/tickets",
        id: "ticketId",
        body: freshTicket,
        takes: "requester requesterIdentificationValue status priority source options",
        sample: { requester: "email", requesterIdentificationValue: "a@example.com" },
      }),
      ...records({
        resource: "contact",
        path: "/contacts",
        id: "contactId",
        body: together(fields({ name: "name", email: "email" }), members("additionalFields")),
        change: members("additionalFields"),
        sample: { name: "n" },
      }),
    ],
  },
  mautic: {
    preset: "mautic",
    title: "Mautic",
    base: "https://YOUR-MAUTIC/api",
    usual:
      "contact.create company.create contactSegment.add campaignContact.add companyContact.add",
    takes: "options.rawData jsonParameters",
    actions: [
      {
        on: "contact.create",
        action: "request",
        input: request("POST /contacts/new", { body: mauticContact("additionalFields") }),
        items: "=[one.body.contact.fields?.all ?? one.body.contact]",
        takes: "additionalFields",
        sample: { email: "e" },
      },
      {
        on: "contact.update",
        action: "request",
        input: request("PATCH /contacts/{contactId}/edit", { body: mauticContact("updateFields") }),
        items: "=[one.body.contact.fields?.all ?? one.body.contact]",
        takes: "updateFields",
        sample: { contactId: "1" },
      },
      {
        on: "contact.get",
        action: "request",
        input: request("GET /contacts/{contactId}"),
        items: "=[one.body.contact.fields?.all ?? one.body.contact]",
      },
      {
        on: "contact.delete",
        action: "request",
        input: request("DELETE /contacts/{contactId}/delete"),
        items: "=[one.body.contact.fields?.all ?? one.body.contact]",
      },
      {
        on: "contact.getAll",
        action: "request",
        input: request("GET /contacts", {
          query: { search: "options.search", orderBy: "options.orderBy", limit: "=100" },
        }),
        items:
          "=Object.values(one.body.contacts ?? {}).map((contact) => contact.fields?.all ?? contact)",
        isList: true,
      },
      {
        on: "contact.editDoNotContactList",
        action: "request",
        input: request("POST /contacts/{contactId}/dnc/email/add", {
          body: members("additionalFields"),
        }),
        items: "=[one.body.contact]",
        takes: "additionalFields action channel",
      },
      {
        on: "contactSegment.add",
        action: "request",
        input: request("POST /segments/{segmentId}/contact/{contactId}/add"),
      },
      {
        on: "contactSegment.remove",
        action: "request",
        input: request("POST /segments/{segmentId}/contact/{contactId}/remove"),
      },
      {
        on: "campaignContact.add",
        action: "request",
        input: request("POST /campaigns/{campaignId}/contact/{contactId}/add"),
      },
    ],
  },
  clockify: {
    preset: "clockify",
    title: "Clockify",
    base: "https://api.clockify.me/api/v1",
    usual:
      "project.create client.create task.create tag.create timeEntry.create workspace.getAll user.getAll",
    takes: "additionalFields.archived",
    actions: [
      ...["project", "client", "tag"].flatMap((resource) =>
        records({
          resource,
          path: `${CLOCKIFY}/${resource}s`,
          id: `${resource}Id`,
          size: "page-size",
          body: together(fields({ name: "name" }), members("additionalFields")),
          change: together(fields({ name: "name" }), members("updateFields")),
          sample: { workspaceId: "w", name: "n" },
        }),
      ),
      ...records({
        resource: "task",
        path: `${CLOCKIFY}/projects/{projectId}/tasks`,
        id: "taskId",
        size: "page-size",
        body: together(fields({ name: "name" }), members("additionalFields")),
        sample: { workspaceId: "w", projectId: "p", name: "n" },
      }),
      ...records({
        resource: "timeEntry",
        path: `${CLOCKIFY}/time-entries`,
        id: "timeEntryId",
        size: "page-size",
        body: together(
          fields({ start: "start", tagIds: "additionalFields.tagIds|list" }),
          members("additionalFields"),
        ),
        sample: { workspaceId: "w", start: "s" },
      }),
      {
        on: "workspace.getAll",
        action: "request",
        input: request("GET /workspaces"),
        isList: true,
      },
      {
        on: "user.getAll",
        action: "request",
        input: request(`GET ${CLOCKIFY}/users`),
        isList: true,
      },
    ],
  },
};
