/** Records of CRM services: HubSpot, Salesforce, Odoo, Zoho, Mailchimp. */
import { toCode } from "../../code-text.ts";
import { NotConvertible } from "../../conversion.ts";
import { toList, toObject, toText } from "../../n8n-workflow.ts";
import { fields, members, pairsCode, type ParameterReader } from "../service-table.ts";
import type { SourceFunctions } from "./source-function.ts";

/** HubSpot fields by their n8n names. Other names differ only in case. */
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

/** Builds object properties from a field group, custom properties and others. */
const hubspotProperties = (
  read: ParameterReader,
  group: string,
  more: Readonly<Record<string, string>> = {},
): string => {
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

/** Field names that are not the capitalised parameter name. */
const SALESFORCE_NAMES: Readonly<Record<string, string>> = {
  firstname: "FirstName",
  lastname: "LastName",
  lastName: "LastName",
  owner: "OwnerId",
  acconuntId: "AccountId",
  sObject: "",
  customFieldsUi: "",
};

const salesforceName = (name: string): string =>
  SALESFORCE_NAMES[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** A Salesforce record: a field group and custom fields. */
const salesforceRecord = (read: ParameterReader, asked: string, group: string): string => {
  const first = Object.fromEntries(
    asked
      .split(" ")
      .filter((name) => name !== "")
      .map((name) => [salesforceName(name), name]),
  );
  const names = Object.keys(toObject(read.raw(group)));
  const renamed = Object.fromEntries(names.map((name) => [name, salesforceName(name)]));
  const own = (path: string): string => {
    const list = toObject(read.raw(path))["customFieldsValues"];
    return `...${pairsCode(list, "fieldId", "value")}`;
  };
  return `{ ...${fields(first)(read)}, ...${members(group, renamed)(read)}, ${own(`${group}.customFieldsUi`)}, ${own("customFieldsUi")} }`;
};

const SIGNS: Readonly<Record<string, string>> = {
  equal: "=",
  notEqual: "!=",
  "!=": "!=",
  "<": "<",
  "<=": "<=",
  ">": ">",
  ">=": ">=",
  "=": "=",
};

/** The fields to read. */
function salesforceFields(read: ParameterReader): string {
  const list = read.code("options.fields");
  return list === undefined
    ? '"FIELDS(STANDARD)"'
    : `(n8n.list(${list}).join(", ") || "FIELDS(STANDARD)")`;
}

/** The conditions of a query. */
function salesforceWhere(read: ParameterReader): string {
  const all = toList(toObject(read.raw("options.conditionsUi"))["conditionValues"]).map(toObject);
  const codes = all.map(
    ({ field = "", operation = "equal", value = "" }) =>
      `n8n.text(${toCode(field)}) + ${JSON.stringify(` ${SIGNS[String(operation)] ?? "="} `)} + n8n.soqlValue(${toCode(value)})`,
  );
  return codes.length === 0 ? '""' : `" WHERE " + [${codes.join(", ")}].join(" AND ")`;
}

/** The conditions of a search. */
function odooDomain(read: ParameterReader): string {
  const all = toList(toObject(read.raw("filterRequest"))["filter"]).map(toObject);
  const codes = all.map(
    ({ fieldName = "", operator = "equal", value = "" }) =>
      `[${toCode(fieldName)}, ${JSON.stringify(ODOO_SIGNS[String(operator)] ?? "=")}, ${toCode(value)}]`,
  );
  return `[${codes.join(", ")}]`;
}

const ODOO_SIGNS: Readonly<Record<string, string>> = {
  equal: "=",
  notEqual: "!=",
  greaterThen: ">",
  lesserThen: "<",
  greaterOrEqual: ">=",
  lesserOrEqual: "<=",
  like: "like",
  in: "in",
  notIn: "not in",
  childOf: "child_of",
};

/** Member fields as an object, from pairs or JSON. */
const mailchimpFields = (read: ParameterReader, group: string): string | undefined => {
  const pairs = toList(
    toObject(read.raw(group === "" ? "mergeFieldsUi" : `${group}.mergeFieldsUi`))[
      "mergeFieldsValues"
    ],
  ).map(toObject);
  const json = read.code(group === "" ? "mergeFieldsJson" : `${group}.mergeFieldsJson`);
  if (pairs.length > 0)
    return `{ ${pairs.map(({ name = "", value = "" }) => `[${toCode(name)}]: ${toCode(value)}`).join(", ")} }`;
  return json === undefined ? undefined : `n8n.json(${json})`;
};

/** The HubSpot objects associated with an engagement. */
const hubspotAssociations = (read: ParameterReader): string => {
  const about = toObject(read.raw("additionalFields.associations"));
  const ids = Object.entries(about).map(
    ([name, value]) => `${JSON.stringify(name)}: n8n.list(${toCode(value)}).map(Number)`,
  );
  return `{ ${ids.join(", ")} }`;
};

/** Custom fields and address of a Zoho record, from parameter groups. */
const zohoParts = (read: ParameterReader, group: string): string => {
  const parts = Object.values(toObject(read.raw(group))).flatMap((one) => {
    const { customFields, address_fields } = toObject(one);
    const own = toList(customFields).map((field) => {
      const { fieldId = "", value = "" } = toObject(field);
      return `[${toCode(fieldId)}]: ${toCode(value)}`;
    });
    const address = Object.entries(toObject(address_fields)).map(
      ([name, value]) => `${JSON.stringify(name)}: ${toCode(value)}`,
    );
    return [...own, ...address];
  });
  return `{ ${parts.join(", ")} }`;
};

export const customerFunctions: SourceFunctions = {
  hubspotProperties,
  hubspotFilters,
  hubspotAssociations,
  salesforceRecord,
  salesforceFields,
  salesforceWhere,
  odooDomain,
  zohoParts,
  mailchimpFields,
};
