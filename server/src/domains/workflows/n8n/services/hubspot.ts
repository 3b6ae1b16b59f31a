/** HubSpot: contacts, companies, deals and tickets. */
import { toCode } from "../code-text.ts";
import { NotConvertible } from "../conversion.ts";
import { toList, toObject, toText } from "../n8n-workflow.ts";
import { type ParameterReader, request, type ServiceTable } from "./service-table.ts";

/** Fields of HubSpot by the names that n8n has for them; others are the same without capitals. */
const HUBSPOT_NAMES: Readonly<Record<string, string>> = {
  companyName: "company",
  phoneNumber: "phone",
  mobilePhoneNumber: "mobilephone",
  websiteUrl: "website",
  streetAddress: "address",
  postalCode: "zip",
  lifeCycleStage: "lifecyclestage",
  leadStatus: "hs_lead_status",
  contactOwner: "hubspot_owner_id",
  companyOwner: "hubspot_owner_id",
  companyDomainName: "domain",
  countryRegion: "country",
  stateRegion: "state",
  numberOfEmployees: "numberofemployees",
  linkedInCompanyPage: "linkedin_company_page",
  annualRevenue: "annualrevenue",
  dealName: "dealname",
  closeDate: "closedate",
  linkedinUrl: "hs_linkedin_url",
  companySize: "company_size",
};

/** The properties of an object: those of a group of the node, the custom ones, and what else is given. */
const hubspotProperties =
  (group: string, more: Readonly<Record<string, string>> = {}) =>
  (read: ParameterReader): string => {
    read.raw(group);
    const { customPropertiesUi, associations, associatedCompanyId, resolveData, ...fields } =
      toObject(read.raw(group));
    if (associations !== undefined || associatedCompanyId !== undefined)
      throw new NotConvertible("associates the object with others");
    const named = Object.entries(fields).map(
      ([name, value]) =>
        `${JSON.stringify(HUBSPOT_NAMES[name] ?? name.toLowerCase())}: n8n.given(${toCode(value)})`,
    );
    const custom = toList(toObject(customPropertiesUi)["customPropertiesValues"]).map((one) => {
      const { property = "", value = "" } = toObject(one);
      return `[${toCode(property)}]: ${toCode(value)}`;
    });
    const own = Object.entries(more).flatMap(([name, path]) => {
      const code = read.code(path);
      return code === undefined ? [] : [`${name}: n8n.text(${code})`];
    });
    return `{ ${[...own, ...named, ...custom].join(", ")} }`;
  };

const hubspotFilters = (read: ParameterReader): string | undefined => {
  const groups = toList(toObject(read.raw("filterGroupsUi"))["filterGroupsValues"]).map((group) => {
    const filters = toList(toObject(toObject(group)["filtersUi"])["filterValues"]).map((one) => {
      const { propertyName = "", operator = "EQ", value = "" } = toObject(one);
      const named = toText(propertyName).split("|")[0] ?? "";
      return `{ propertyName: ${toCode(toText(propertyName).startsWith("=") ? propertyName : named)}, operator: ${toCode(operator)}, value: n8n.text(${toCode(value)}) }`;
    });
    return `{ filters: [${filters.join(", ")}] }`;
  });
  return groups.length === 0 ? undefined : `[${groups.join(", ")}]`;
};

const HUBSPOT_ITEM = "=[{ ...one.body, vid: one.body.id }]";

export const hubspot: ServiceTable = {
  hubspot: {
    preset: "hubspot",
    title: "HubSpot",
    usual: "contact.upsert company.create deal.create ticket.create engagement.create",
    takes: "options.resolveData",
    actions: [
      {
        on: "contact.upsert contact.create",
        action: "request",
        input: request("POST /crm/v3/objects/contacts/batch/upsert", {
          body: (read) =>
            `{ inputs: [{ id: ${read.text("email")}, idProperty: "email", properties: ${hubspotProperties("additionalFields", { email: "email" })(read)} }] }`,
        }),
        items: "=one.body.results.map((made) => ({ ...made, vid: made.id, isNew: made.new }))",
      },
      {
        on: "contact.search",
        action: "search_contacts",
        input: { filterGroups: hubspotFilters, query: "additionalFields.query" },
        isList: true,
        takes: "additionalFields.properties additionalFields.sortBy additionalFields.direction",
      },
      {
        on: "contact.get",
        action: "get_contact",
        input: { id: "contactId" },
        items: HUBSPOT_ITEM,
        takes: "additionalFields.propertiesCollection additionalFields.formSubmissionMode",
      },
      {
        on: "contact.getAll",
        action: "request",
        input: request("GET /crm/v3/objects/contacts", { query: { limit: '="100"' } }),
        items: "=one.body.results",
        isList: true,
        takes: "additionalFields.propertiesCollection",
      },
      {
        on: "company.create",
        action: "create_company",
        input: { properties: hubspotProperties("additionalFields", { name: "name" }) },
        items: HUBSPOT_ITEM,
      },
      {
        on: "company.update",
        action: "update_company",
        input: { id: "companyId", properties: hubspotProperties("updateFields") },
        items: HUBSPOT_ITEM,
      },
      {
        on: "company.get",
        action: "get_company",
        input: { id: "companyId" },
        items: HUBSPOT_ITEM,
        takes: "additionalFields.propertiesCollection",
      },
      {
        on: "company.searchByDomain",
        action: "search_companies",
        input: {
          filterGroups: (read) =>
            `[{ filters: [{ propertyName: "domain", operator: "EQ", value: ${read.text("domain")} }] }]`,
        },
        isList: true,
      },
      {
        on: "deal.create",
        action: "create_deal",
        input: { properties: hubspotProperties("additionalFields", { dealstage: "stage" }) },
        items: HUBSPOT_ITEM,
      },
      {
        on: "deal.update",
        action: "update_deal",
        input: { id: "dealId", properties: hubspotProperties("updateFields") },
        items: HUBSPOT_ITEM,
      },
      {
        on: "deal.get",
        action: "get_deal",
        input: { id: "dealId" },
        items: HUBSPOT_ITEM,
        takes: "additionalFields.propertiesCollection",
      },
      {
        on: "deal.search",
        action: "search_deals",
        input: { filterGroups: hubspotFilters, query: "additionalFields.query" },
        isList: true,
        takes: "additionalFields.properties",
      },
      {
        on: "ticket.create",
        action: "create_ticket",
        input: {
          properties: hubspotProperties("additionalFields", {
            subject: "ticketName",
            hs_pipeline: "pipelineId",
            hs_pipeline_stage: "stageId",
          }),
        },
        items: HUBSPOT_ITEM,
      },
      {
        on: "ticket.get",
        action: "get_ticket",
        input: { id: "ticketId" },
        items: HUBSPOT_ITEM,
        takes: "additionalFields.propertiesCollection",
      },
      {
        on: "ticket.update",
        action: "update_ticket",
        input: { id: "ticketId", properties: hubspotProperties("updateFields") },
        items: HUBSPOT_ITEM,
      },
    ],
  },
};
