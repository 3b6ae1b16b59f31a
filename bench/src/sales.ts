/** A million sales of a thousand customers, on both sides. */
import { schemaOf } from "../../server/src/kernel/db/sql-runner.ts";
import type { Product } from "./endpoint.ts";
import { asMember } from "./request.ts";
import type { Rig } from "./rig.ts";

export const CUSTOMERS = 1_000;
export const SALES = "/api/v1/tables/sales/records";
export const CUSTOMERS_PATH = "/api/v1/tables/customers/records";

/** Hand-written tables, like the product's without its additions. */
const REFERENCE_SQL = `
  create table customers (id text collate "C" primary key, created_at timestamptz, name text, city text);
  create table sales (id text collate "C" primary key, created_at timestamptz, customer text collate "C",
                      price numeric, status text);
  create index sales_customer on sales (customer)`;

const SEED_CUSTOMERS = (target: string, more: string, values: string): string => `
  insert into ${target} (id, created_at, name, city${more})
  select 'rec_' || lpad(n::text, 26, '0'), timestamptz '2026-01-01' + n * interval '1 minute', 'Customer ' || n,
         (array['Berlin', 'Lisbon', 'Oslo', 'Rome'])[1 + n % 4]${values} from generate_series(1, $1::int) n`;
const SEED_SALES = (target: string, more: string, values: string): string => `
  insert into ${target} (id, created_at, customer, price, status${more})
  select 'rec_' || lpad(n::text, 26, '0'), timestamptz '2026-01-01' + n * interval '1 second',
         'rec_' || lpad((1 + n % ${CUSTOMERS})::text, 26, '0'), (n % 10000)::numeric / 100,
         (array['open', 'paid', 'sent', 'returned'])[1 + n % 4]${values} from generate_series(1, $1::int) n`;

const OURS = [", updated_at, created_by", ", now(), 'system'"] as const;

/** Creates and fills both tables on both sides. Resolves to the product's schema. */
export async function furnishSales(rig: Rig, product: Product, count: number): Promise<string> {
  await rig.queryReference(REFERENCE_SQL);
  await rig.queryReference(SEED_CUSTOMERS("customers", "", ""), [CUSTOMERS]);
  await rig.queryReference(SEED_SALES("sales", "", ""), [count]);
  await rig.queryReference("vacuum analyze sales");
  await rig.queryReference("vacuum analyze customers");
  await ask(product, "POST", "/api/v1/tables", {
    name: "Customers",
    columns: [
      { name: "name", type: "text" },
      { name: "city", type: "text" },
    ],
  });
  await ask(product, "POST", "/api/v1/tables", {
    name: "Sales",
    columns: [
      { name: "customer", type: "reference", indexed: true, options: { table: "customers" } },
      { name: "price", type: "decimal" },
      { name: "status", type: "text", indexed: true },
      { name: "customerName", type: "lookup", options: { path: "customer.name" } },
      { name: "customerCity", type: "lookup", options: { path: "customer.city" } },
    ],
  });
  const sales = {
    name: "sales",
    type: "backlinks",
    options: { table: "sales", column: "customer" },
  };
  const rollup = { via: "sales", function: "sum", field: "price" };
  await ask(product, "PATCH", "/api/v1/tables/customers", {
    addColumns: [sales, { name: "turnover", type: "rollup", options: rollup }],
  });
  const [row] = await rig.query<{ key: string }>(
    "select home_workspace_id as key from installation",
  );
  const schema = schemaOf({ workspace: row?.key ?? "", environment: "production" });
  await rig.query(SEED_CUSTOMERS(`"${schema}".customers`, ...OURS), [CUSTOMERS]);
  await rig.query(SEED_SALES(`"${schema}".sales`, ...OURS), [count]);
  // Simulates a database in long-term operation.
  await rig.query(`vacuum analyze "${schema}".sales`);
  await rig.query(`vacuum analyze "${schema}".customers`);
  return schema;
}

/** Calls the product and resolves to the data of its response. */
export async function ask(
  { port, token }: Product,
  method: string,
  path: string,
  body?: object,
): Promise<any> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...asMember(token), ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (answer.status >= 300) throw new Error(`${method} ${path} got ${text.slice(0, 500)}`);
  return text === "" ? undefined : JSON.parse(text).data;
}
