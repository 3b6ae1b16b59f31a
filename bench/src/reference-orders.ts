/** A hand-written table `orders`: one prepared statement per request and nothing else. */
import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type pg from "pg";

/** Like the product's table, without the product's additional columns. */
export const ORDERS_SQL = `
  create table orders (
    id         text        collate "C" primary key,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    created_by text        not null,
    number     text        collate "C" not null,
    status     text        collate "C",
    price      numeric,
    quantity   bigint,
    note       text        collate "C"
  );
  create index orders_status on orders (status, id)`;

interface OrderIn {
  readonly number: string;
  readonly status: string;
  readonly price: number;
  readonly quantity: number;
  readonly note: string;
}

const fields = {
  number: { type: "string" },
  status: { type: "string" },
  price: { type: "number" },
  quantity: { type: "integer" },
  note: { type: "string" },
};
const order = {
  type: "object",
  properties: {
    id: { type: "string" },
    createdAt: { type: "string", format: "date-time" },
    updatedAt: { type: "string", format: "date-time" },
    createdBy: { type: "string" },
    ...fields,
  },
};
const orderIn = { type: "object", required: ["number"], properties: fields };
const bulkIn = { type: "object", properties: { records: { type: "array", items: orderIn } } };
const one = { type: "object", properties: { data: order } };
const many = { type: "object", properties: { data: { type: "array", items: order } } };

const COLUMNS = `id, created_at as "createdAt", updated_at as "updatedAt", created_by as "createdBy",
  number, status, price::float8 as price, quantity::int as quantity, note`;
const INTO =
  "orders (id, created_at, updated_at, created_by, number, status, price, quantity, note)";
const FIND = { name: "find order", text: `select ${COLUMNS} from orders where id = $1` };
const LIST = {
  name: "list orders",
  text: `select ${COLUMNS} from orders where status = $1 order by id desc limit 51`,
};
const ADD = {
  name: "add order",
  text: `insert into ${INTO} values ($1, $2, $2, 'me', $3, $4, $5, $6, $7) returning ${COLUMNS}`,
};
const CHANGE = {
  name: "change order",
  text: `update orders set quantity = $2, updated_at = $3 where id = $1 returning ${COLUMNS}`,
};
const ADD_MANY = {
  name: "add orders",
  text: `insert into ${INTO}
         select id, $2, $2, 'me', number, status, price, quantity, note
           from unnest($1::text[], $3::text[], $4::text[], $5::numeric[], $6::bigint[], $7::text[])
             as new (id, number, status, price, quantity, note)
         returning ${COLUMNS}`,
};

/** Adds the routes. */
export function serveOrders(app: FastifyInstance, pool: pg.Pool): void {
  app.get<{ Params: { id: string } }>(
    "/orders/:id",
    { schema: { response: { 200: one } } },
    async ({ params }) => ({ data: (await pool.query({ ...FIND, values: [params.id] })).rows[0] }),
  );
  app.get<{ Querystring: { status: string } }>(
    "/orders",
    { schema: { response: { 200: many } } },
    async ({ query }) => {
      const { rows } = await pool.query({ ...LIST, values: [query.status] });
      return { data: rows.slice(0, 50) };
    },
  );
  app.post<{ Body: OrderIn }>(
    "/orders",
    { schema: { body: orderIn, response: { 201: one } } },
    async ({ body }, answer) => {
      const { number, status, price, quantity, note } = body;
      const values = [randomUUID(), new Date(), number, status, price, quantity, note];
      answer.code(201);
      return { data: (await pool.query({ ...ADD, values })).rows[0] };
    },
  );
  app.patch<{ Params: { id: string }; Body: { quantity: number } }>(
    "/orders/:id",
    { schema: { body: { type: "object", properties: fields }, response: { 200: one } } },
    async ({ params, body }) => {
      const values = [params.id, body.quantity, new Date()];
      return { data: (await pool.query({ ...CHANGE, values })).rows[0] };
    },
  );
  app.post<{ Body: { records: OrderIn[] } }>(
    "/orders/bulk",
    { schema: { body: bulkIn, response: { 201: many } } },
    async ({ body: { records } }, answer) => {
      const values = [
        records.map(() => randomUUID()),
        new Date(),
        records.map(({ number }) => number),
        records.map(({ status }) => status),
        records.map(({ price }) => price),
        records.map(({ quantity }) => quantity),
        records.map(({ note }) => note),
      ];
      answer.code(201);
      return { data: (await pool.query({ ...ADD_MANY, values })).rows };
    },
  );
}

const saleJoined = {
  type: "object",
  properties: {
    id: { type: "string" },
    price: { type: "number" },
    status: { type: "string" },
    customerName: { type: "string" },
    customerCity: { type: "string" },
  },
};
const JOIN = {
  name: "list sales",
  text: `select s.id, s.price::float8 as price, s.status, c.name as "customerName", c.city as "customerCity"
           from sales s left join customers c on c.id = s.customer order by s.id desc limit 51`,
};

/** Adds the route of a plain join. The figure that uses it creates its tables. */
export function serveSales(app: FastifyInstance, pool: pg.Pool): void {
  const response = {
    200: { type: "object", properties: { data: { type: "array", items: saleJoined } } },
  };
  app.get("/sales", { schema: { response } }, async () => {
    const { rows } = await pool.query(JOIN);
    return { data: rows.slice(0, 50) };
  });
}
