/** A table with many records, on both sides. */
import { schemaOf } from "../../server/src/kernel/db/sql-runner.ts";
import type { Product } from "./endpoint.ts";
import { asMember } from "./request.ts";
import type { Rig } from "./rig.ts";

export const TABLE = "/api/v1/tables/orders/records";

const DEFINITION = {
  name: "Orders",
  columns: [
    { name: "number", type: "text", required: true },
    {
      name: "status",
      type: "enum",
      indexed: true,
      options: { values: ["open", "paid", "sent", "returned"] },
    },
    { name: "price", type: "decimal" },
    { name: "quantity", type: "integer" },
    { name: "note", type: "text" },
  ],
};

/** One in a hundred has the status returned. The ids sort by creation. */
export const SEED = (target: string): string => `
  insert into ${target} (id, created_at, updated_at, created_by, number, status, price, quantity, note)
  select 'rec_' || lpad(n::text, 26, '0'), at, at, 'system', 'ORD-' || n,
         case when n % 100 = 0 then 'returned' else (array['open', 'paid', 'sent'])[1 + n % 3] end,
         (n % 10000)::numeric / 100, n % 50, 'All is well.'
    from generate_series(1, $1::int) as n
   cross join lateral (select timestamptz '2026-01-01' + n * interval '1 second' as at) as time`;

/** Creates and fills the table on both sides. Returns the ids of some records, evenly spread. */
export async function furnishOrders(
  rig: Rig,
  product: Product,
  count: number,
): Promise<readonly string[]> {
  await rig.queryReference(SEED("orders"), [count]);
  await rig.queryReference("vacuum analyze orders");
  return furnishOurOrders(rig, product, count);
}

/** Only the product's table. */
export async function furnishOurOrders(
  rig: Pick<Rig, "query">,
  product: Product,
  count: number,
): Promise<readonly string[]> {
  const { port, token } = product;
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/tables`, {
    method: "POST",
    headers: { "content-type": "application/json", ...asMember(token) },
    body: JSON.stringify(DEFINITION),
  });
  if (answer.status !== 201) throw new Error(`No table was made: ${await answer.text()}`);
  const [row] = await rig.query<{ key: string }>(
    "select home_workspace_id as key from installation",
  );
  const schema = schemaOf({ workspace: row?.key ?? "", environment: "production" });
  await rig.query(SEED(`"${schema}".orders`), [count]);
  // Simulates a database in long-term operation.
  await rig.query(`vacuum analyze "${schema}".orders`);
  const step = Math.max(1, Math.floor(count / 1_000));
  return Array.from(
    { length: Math.floor(count / step) },
    (_, at) => `rec_${String((at + 1) * step).padStart(26, "0")}`,
  );
}
