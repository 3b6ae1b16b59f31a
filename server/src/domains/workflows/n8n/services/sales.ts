/** Services for deals, orders and payments. */
import { NotConvertible } from "../conversion.ts";
import {
  type FieldSource,
  objectCode,
  type ParameterReader,
  request,
  type ServiceAction,
  type ServiceTable,
} from "./service-table.ts";

const pipedrive = (names: readonly string[], group: string): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, `${group}.${name}`]));

/** A field that QuickBooks has inside of an object. */
function wrapField(read: ParameterReader, field: string, member: string): string | undefined {
  const code = read.code(`additionalFields.${field}`);
  return code === undefined ? undefined : `{ ${member}: ${code} }`;
}

/** n8n has the place from the credential; here it is a variable of the workspace. */
const LOCATION = "=n8n.text($vars.HIGHLEVEL_LOCATION_ID)";
const COMPANY = "=n8n.text($vars.QUICKBOOKS_COMPANY_ID)";

const highLevelContact = (group: string): Readonly<Record<string, FieldSource>> => ({
  email: group === "" ? "email" : `${group}.email`,
  phone: group === "" ? "phone" : `${group}.phone`,
  firstName: `${group || "additionalFields"}.firstName`,
  lastName: `${group || "additionalFields"}.lastName`,
});

/** All of a kind that a query of QuickBooks finds. */
const quickBooksList = (kind: string): ServiceAction => ({
  on: `${kind.toLowerCase()}.getAll`,
  action: "query",
  input: {
    companyId: COMPANY,
    query: (read) =>
      `"SELECT * FROM ${kind} " + ${read.text("filters.query")} + " MAXRESULTS ${read.raw("returnAll") === true ? 1_000 : Number(read.raw("limit") ?? 50)}"`,
  },
  items: `=n8n.toList(one.body.QueryResponse.${kind} ?? [])`,
  takes: "returnAll limit",
  notes: ["at most 1,000 are read"],
});

export const sales: ServiceTable = {
  highLevel: {
    preset: "highlevel",
    title: "HighLevel",
    usual: "contact.create opportunity.create task.create",
    actions: [
      {
        on: "contact.create",
        action: "upsert_contact",
        input: { locationId: LOCATION, ...highLevelContact("") },
        items: "=[one.body.contact]",
      },
      {
        on: "contact.get",
        action: "get_contact",
        input: { contactId: "contactId" },
        items: "=[one.body.contact]",
      },
      {
        on: "contact.update",
        action: "update_contact",
        input: { contactId: "contactId", ...highLevelContact("updateFields") },
        items: "=[one.body.contact]",
      },
      {
        on: "contact.getAll",
        action: "list_contacts",
        input: { locationId: LOCATION, query: "filters.query" },
        isList: true,
        sample: {},
      },
      {
        on: "contact.delete",
        action: "delete_contact",
        input: { contactId: "contactId" },
        items: "=[{ success: true }]",
      },
      {
        on: "opportunity.get",
        action: "get_opportunity",
        input: { id: "opportunityId" },
        items: "=[one.body.opportunity ?? one.body]",
      },
      {
        on: "opportunity.getAll",
        action: "request",
        input: request("GET /opportunities/search", {
          query: {
            location_id: LOCATION,
            pipeline_id: "filters.pipelineId",
            pipeline_stage_id: "filters.stageId",
            status: "filters.status",
            q: "filters.query",
            limit: "=100",
          },
        }),
        items: (read) =>
          read.raw("returnAll") === true
            ? "one.body.opportunities"
            : `one.body.opportunities.slice(0, ${Number(read.raw("limit") ?? 20)})`,
        takes: "returnAll limit",
        notes: ["at most 100 opportunities are read"],
        sample: {},
      },
      {
        on: "task.create",
        action: "create_task",
        input: {
          contactId: "contactId",
          title: "title",
          dueDate: "dueDate",
          body: "additionalFields.body",
          completed: "completed|bool",
        },
        items: "=[one.body.task ?? one.body]",
      },
    ],
  },
  quickbooks: {
    preset: "quickbooks",
    title: "QuickBooks",
    usual: "customer.get invoice.get item.get vendor.get payment.get",
    actions: [
      quickBooksList("Customer"),
      quickBooksList("Invoice"),
      quickBooksList("Item"),
      quickBooksList("Vendor"),
      quickBooksList("Payment"),
      {
        on: "customer.get",
        action: "get_customer",
        input: { companyId: COMPANY, id: "customerId" },
        items: "=[one.body.Customer]",
      },
      {
        on: "customer.create",
        action: "create_customer",
        input: {
          companyId: COMPANY,
          DisplayName: "displayName",
          PrimaryEmailAddr: (read) => wrapField(read, "PrimaryEmailAddr", "Address"),
          PrimaryPhone: (read) => wrapField(read, "PrimaryPhone", "FreeFormNumber"),
        },
        items: "=[one.body.Customer]",
        sample: { displayName: "d" },
      },
      {
        on: "invoice.get",
        action: "get_invoice",
        input: { companyId: COMPANY, id: "invoiceId" },
        items: (read) => {
          if (read.raw("download") === true) throw new NotConvertible("downloads an invoice");
          return "[one.body.Invoice]";
        },
      },
      {
        on: "invoice.send",
        action: "send_invoice",
        input: { companyId: COMPANY, id: "invoiceId", sendTo: "email" },
        items: "=[one.body.Invoice]",
      },
    ],
  },
  wooCommerce: {
    preset: "woocommerce",
    title: "WooCommerce",
    usual: "product.create order.create customer.create",
    actions: [
      { on: "product.get", action: "get_product", input: { id: "productId|number" } },
      {
        on: "product.getAll",
        action: "list_products",
        input: {
          search: "options.search",
          after: "options.after",
          orderby: "options.orderBy",
          order: "options.order",
          status: "options.status",
        },
        isList: true,
      },
      { on: "order.get", action: "get_order", input: { id: "orderId|number" } },
      {
        on: "order.getAll",
        action: "request",
        input: request("GET /orders", {
          query: {
            search: "options.search",
            after: "options.after",
            before: "options.before",
            orderby: "options.orderBy",
            order: "options.order",
            status: "options.status",
            customer: "options.customer",
            product: "options.product",
            per_page: (read) => `${Math.min(Number(read.raw("limit") ?? 100), 100)}`,
          },
        }),
        items: "=n8n.toList(one.body)",
        takes: "returnAll limit",
        notes: ["at most 100 orders are read"],
      },
      {
        on: "order.update",
        action: "update_order",
        input: { id: "orderId|number", status: "updateFields.status" },
      },
      {
        on: "customer.getAll",
        action: "list_customers",
        input: { email: "filters.email", search: "filters.search" },
        isList: true,
      },
    ],
  },
  pipedrive: {
    preset: "pipedrive",
    title: "Pipedrive",
    usual: "deal.create person.create note.create organization.create lead.create activity.create",
    takes: "associateWith resolveProperties encodeProperties",
    actions: [
      {
        on: "person.create",
        action: "create_person",
        input: {
          name: "name",
          ...pipedrive(["email", "phone"], "additionalFields"),
          org_id: "additionalFields.org_id|number",
        },
      },
      {
        on: "person.search",
        action: "search_persons",
        input: {
          term: "term",
          fields: "additionalFields.fields",
          exact_match: "additionalFields.exactMatch|bool",
        },
        items: "=one.items.map(({ item }) => item)",
        isList: true,
        takes: "additionalFields.includeFields additionalFields.rawData",
      },
      {
        on: "person.get",
        action: "get_person",
        input: { id: "personId" },
        items: "=[one.body.data]",
      },
      { on: "person.getAll", action: "list_persons", isList: true },
      {
        on: "deal.create",
        action: "create_deal",
        input: {
          title: "title",
          value: "additionalFields.value|number",
          currency: "additionalFields.currency",
          status: "additionalFields.status",
          person_id: "additionalFields.person_id or person_id|number",
          org_id: "additionalFields.org_id or org_id|number",
          stage_id: "additionalFields.stage_id|number",
        },
        items: "=[one.body.data]",
      },
      { on: "deal.get", action: "get_deal", input: { id: "dealId" }, items: "=[one.body.data]" },
      { on: "deal.getAll", action: "list_deals", isList: true },
      {
        on: "note.create",
        action: "create_note",
        input: {
          content: "content",
          deal_id: "additionalFields.deal_id|number",
          person_id: "additionalFields.person_id|number",
          org_id: "additionalFields.org_id|number",
          lead_id: "additionalFields.lead_id",
        },
        items: "=[one.body.data]",
      },
      {
        on: "organization.create",
        action: "create_organization",
        input: { name: "name", address: "additionalFields.address" },
        items: "=[one.body.data]",
      },
      {
        on: "lead.create",
        action: "create_lead",
        input: {
          title: "title",
          person_id: "person_id or additionalFields.person_id|number",
          organization_id: "organization_id or additionalFields.organization_id|number",
        },
        items: "=[one.body.data]",
      },
    ],
  },
  shopify: {
    preset: "shopify",
    title: "Shopify",
    usual: "order.create product.create",
    actions: [
      {
        on: "order.getAll",
        action: "list_orders",
        input: { status: "options.status", created_at_min: "options.createdAtMin" },
        isList: true,
      },
      {
        on: "order.get",
        action: "get_order",
        input: { id: "orderId" },
        items: "=[one.body.order]",
      },
      {
        on: "product.getAll",
        action: "list_products",
        input: { title: "additionalFields.title" },
        isList: true,
      },
      {
        on: "product.get",
        action: "get_product",
        input: { id: "productId" },
        items: "=[one.body.product]",
      },
      {
        on: "product.create",
        action: "request",
        input: request("POST /admin/api/2024-10/products.json", {
          body: (read) =>
            `{ product: ${objectCode(read, { title: "title", body_html: "additionalFields.body_html", vendor: "additionalFields.vendor", product_type: "additionalFields.product_type", tags: "additionalFields.tags" })} }`,
        }),
        items: "=[one.body.product]",
      },
    ],
  },
  stripe: {
    preset: "stripe",
    title: "Stripe",
    usual: "balance.get customer.get charge.get",
    actions: [
      { on: "charge.getAll", action: "list_charges", isList: true },
      { on: "charge.get", action: "get_charge", input: { id: "chargeId" } },
      { on: "customer.get", action: "get_customer", input: { id: "customerId" } },
      {
        on: "customer.getAll",
        action: "list_customers",
        input: { email: "filters.email" },
        isList: true,
      },
      {
        on: "customer.create",
        action: "create_customer",
        input: {
          name: "name",
          email: "additionalFields.email",
          description: "additionalFields.description",
        },
      },
      { on: "balance.get", action: "get_balance" },
    ],
  },
  salesforce: {
    preset: "salesforce",
    title: "Salesforce",
    usual: "lead.create search.query",
    actions: [{ on: "search.query", action: "query", input: { q: "query" } }],
  },
};
