/** More services for customers and tickets: Zoho CRM, ServiceNow, Odoo. */
import { toCode } from "../../code-text.ts";
import { toList, toObject } from "../../n8n-workflow.ts";
import {
  fields,
  members,
  pairs,
  type ParameterReader,
  request,
  type Service,
  type ServiceAction,
  type ServiceTable,
  together,
} from "../service-table.ts";

const zohoModules = {
  lead: "Leads",
  contact: "Contacts",
  account: "Accounts",
  deal: "Deals",
  product: "Products",
  vendor: "Vendors",
  invoice: "Invoices",
  quote: "Quotes",
  salesOrder: "Sales_Orders",
  purchaseOrder: "Purchase_Orders",
} as const;

/** A record of Zoho: its fields have the names of the API, but for those that a node asks for first. */
const zohoRecord = (group: string) =>
  together(
    fields({
      Company: "Company",
      Last_Name: "lastName",
      Account_Name: "accountName",
      Deal_Name: "dealName",
      Stage: "stage",
      Product_Name: "productName",
      Vendor_Name: "vendorName",
      Subject: "subject",
      Product_Details: "Product_Details|any",
    }),
    members(group),
    (read) => {
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
    },
  );

const zohoActions = Object.entries(zohoModules).flatMap(([resource, name]): ServiceAction[] => {
  const takes =
    "Company lastName accountName dealName stage productName vendorName subject Product_Details additionalFields updateFields options";
  const sample = { [`${resource}Id`]: "1", lastName: "n" };
  return [
    {
      on: `${resource}.create`,
      action: "request",
      input: request(`POST /${name}`, {
        body: (read) => `{ data: [${zohoRecord("additionalFields")(read)}] }`,
      }),
      items: "=[one.body.data[0].details]",
      takes,
      sample: { lastName: "n" },
    },
    {
      on: `${resource}.upsert`,
      action: "request",
      input: request(`POST /${name}/upsert`, {
        body: (read) => `{ data: [${zohoRecord("additionalFields")(read)}] }`,
      }),
      items: "=[one.body.data[0].details]",
      takes,
      sample: { lastName: "n" },
    },
    {
      on: `${resource}.update`,
      action: "request",
      input: request(`PUT /${name}/{${resource}Id}`, {
        body: (read) => `{ data: [${zohoRecord("updateFields")(read)}] }`,
      }),
      items: "=[one.body.data[0].details]",
      takes,
      sample,
    },
    {
      on: `${resource}.get`,
      action: "request",
      input: request(`GET /${name}/{${resource}Id}`),
      items: "=one.body.data",
      sample: { [`${resource}Id`]: "1" },
    },
    {
      on: `${resource}.delete`,
      action: "request",
      input: request(`DELETE /${name}/{${resource}Id}`),
      items: "=[one.body.data[0].details]",
      sample: { [`${resource}Id`]: "1" },
    },
    {
      on: `${resource}.getAll`,
      action: "request",
      input: request(`GET /${name}`, {
        query: { per_page: "=200", sort_by: "options.sort_by", sort_order: "options.sort_order" },
      }),
      items: "=one.body?.data ?? []",
      isList: true,
      takes: "options",
      notes: ["of a list, the first two hundred are read"],
    },
  ];
});

/** The tables of ServiceNow: those that nodes name, and any other. */
const serviceNowTables: Readonly<Record<string, string>> = {
  incident: "incident",
  user: "sys_user",
  configurationItems: "cmdb_ci",
  businessService: "cmdb_ci_service",
  department: "cmn_department",
  userGroup: "sys_user_group",
  dictionary: "sys_dictionary",
};

const serviceNowQuery = {
  sysparm_query: "options.sysparm_query",
  sysparm_display_value: "options.sysparm_display_value",
  sysparm_fields: (read: ParameterReader) => {
    const code = read.code("options.sysparm_fields");
    return code === undefined ? undefined : `n8n.list(${code}).join(",")`;
  },
  sysparm_exclude_reference_link: "options.sysparm_exclude_reference_link|bool",
  sysparm_limit: (read: ParameterReader) =>
    typeof read.raw("limit") === "number" && read.raw("returnAll") !== true
      ? String(read.raw("limit"))
      : "1000",
} as const;

const serviceNowActions = [
  ...Object.entries(serviceNowTables),
  ["tableRecord", "{tableName}"] as const,
].flatMap(([resource, table]): ServiceAction[] => {
  const path = `/now/table/${table}`;
  const record = (group: string) =>
    resource === "tableRecord"
      ? together(members(group), pairs("fieldsToSend/field", "column", "value"), (read) =>
          read.raw("dataToSend") === "mapInput" ? "$json" : "{}",
        )
      : together(fields({ short_description: "short_description" }), members(group));
  const name = resource === "tableRecord" ? { tableName: "t" } : {};
  return [
    {
      on: `${resource}.create`,
      action: "request",
      input: request(`POST ${path}`, { body: record("additionalFields") }),
      items: "=[one.body.result]",
      takes: "additionalFields dataToSend fieldsToSend inputsToIgnore",
      sample: { ...name, ...(resource !== "tableRecord" && { short_description: "s" }) },
    },
    {
      on: `${resource}.update`,
      action: "request",
      input: request(`PATCH ${path}/{id}`, { body: record("updateFields") }),
      items: "=[one.body.result]",
      takes: "updateFields dataToSend fieldsToSend inputsToIgnore",
      sample: { ...name, id: "1" },
    },
    {
      on: `${resource}.get`,
      action: "request",
      input: request(`GET ${path}/{id}`),
      items: "=[one.body.result]",
      takes: "options",
      sample: { ...name, id: "1" },
    },
    {
      on: `${resource}.delete`,
      action: "request",
      input: request(`DELETE ${path}/{id}`),
      items: "=[{ success: true }]",
      sample: { ...name, id: "1" },
    },
    {
      on: `${resource}.getAll`,
      action: "request",
      input: request(`GET ${path}`, { query: serviceNowQuery }),
      items: "=one.body.result",
      isList: true,
      sample: name,
    },
  ];
});

/** A call of Odoo's RPC; the connector signs in by the key of its user. */
const odooModels = {
  contact: "res.partner",
  opportunity: "crm.lead",
  note: "note.note",
  custom: "",
} as const;

const odooActions = Object.entries(odooModels).flatMap(([resource, model]): ServiceAction[] => {
  const named = (read: ParameterReader): string =>
    model === "" ? read.text("customResource") : JSON.stringify(model);
  const call = (
    method: string,
    args: (read: ParameterReader) => string,
  ): NonNullable<ServiceAction["input"]> => ({
    method: '="POST"',
    path: (read) => `"/json/2/" + ${named(read)} + "/${method}"`,
    body: args,
  });
  const id = model === "" ? "customResourceId" : `${resource}Id`;
  const sample = { customResource: "res.partner" };
  const own = model === "" ? sample : {};
  return [
    {
      on: `${resource}.create`,
      action: "request",
      input: call("create", (read) => `{ vals_list: [${odooValues("additionalFields")(read)}] }`),
      items: "=[{ id: [one.body].flat()[0] }]",
      takes: "additionalFields fieldsToCreateOrUpdate",
      sample: own,
    },
    {
      on: `${resource}.update`,
      action: "request",
      input: call(
        "write",
        (read) => `{ ids: [Number(${read.text(id)})], vals: ${odooValues("updateFields")(read)} }`,
      ),
      items: "=[{ id: asked.body.ids[0] }]",
      takes: "updateFields fieldsToCreateOrUpdate",
      sample: { ...own, [id]: "1" },
    },
    {
      on: `${resource}.get`,
      action: "request",
      input: call(
        "read",
        (read) =>
          `{ ids: [Number(${read.text(id)})], fields: n8n.list(${read.code("options.fieldsList") ?? "[]"}) }`,
      ),
      items: "=one.body",
      sample: { ...own, [id]: "1" },
    },
    {
      on: `${resource}.getAll`,
      action: "request",
      input: call(
        "search_read",
        (read) =>
          `{ domain: ${domainCode(read)}, fields: n8n.list(${read.code("options.fieldsList") ?? "[]"}), limit: ${read.raw("returnAll") === true ? "0" : `Number(${read.code("limit") ?? "50"})`} }`,
      ),
      items: "=one.body",
      takes: "filterRequest limit returnAll",
      sample: own,
    },
    {
      on: `${resource}.delete`,
      action: "request",
      input: call("unlink", (read) => `{ ids: [Number(${read.text(id)})] }`),
      items: "=[{ success: true }]",
      sample: { ...own, [id]: "1" },
    },
  ];
});

/** The fields of a record. */
const odooValues = (group: string) =>
  together(
    fields({ name: "contactName or opportunityName", memo: "memo" }),
    members(group),
    pairs("fieldsToCreateOrUpdate/fields", "fieldName", "fieldValue"),
  );

/** The conditions of a search. */
function domainCode(read: ParameterReader): string {
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

const http = (
  service: Pick<Service, "preset" | "title" | "usual" | "takes"> & { readonly base: string },
  actions: readonly ServiceAction[],
): Service => ({ ...service, actions });

export const crmServices: ServiceTable = {
  zohoCrm: http(
    {
      preset: "zoho_crm",
      title: "Zoho CRM",
      base: "https://www.zohoapis.com/crm/v2",
      usual: Object.keys(zohoModules)
        .toSorted()
        .map((one) => `${one}.create`)
        .join(" "),
    },
    zohoActions,
  ),
  serviceNow: http(
    {
      preset: "servicenow",
      title: "ServiceNow",
      base: "https://YOUR-INSTANCE.service-now.com/api",
      usual: "user.get incident.get tableRecord.get",
    },
    serviceNowActions,
  ),
  odoo: http(
    {
      preset: "odoo",
      title: "Odoo (its JSON-2 API, with a key)",
      base: "https://YOUR-ODOO",
      usual: "contact.create opportunity.create note.create custom.create",
    },
    odooActions,
  ),
};
