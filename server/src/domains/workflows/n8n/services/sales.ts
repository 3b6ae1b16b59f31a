/** Services for deals, orders and payments. */
import { objectCode, request, type ServiceTable } from "./service-table.ts";

const pipedrive = (names: readonly string[], group: string): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, `${group}.${name}`]));

export const sales: ServiceTable = {
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
