/**
 * The reference: a minimal server for one table. No tenancy, permissions, events or log. One prepared statement per
 * request, and two for the equivalent of a run: stored at its start and again at its end.
 */
import { randomUUID } from "node:crypto";
import Fastify from "fastify";
import pg from "pg";
import { serveOrders, serveSales } from "./reference-orders.ts";

interface NoteIn {
  readonly title: string;
  readonly body: string;
}

interface Order {
  readonly number: string;
  readonly price: number;
  readonly quantity: number;
}

const note = {
  type: "object",
  properties: {
    id: { type: "string" },
    title: { type: "string" },
    body: { type: "string" },
    createdAt: { type: "string", format: "date-time" },
  },
};
const reply = { type: "object", properties: { data: note } };
const noteIn = {
  type: "object",
  required: ["title", "body"],
  properties: {
    title: { type: "string", maxLength: 100 },
    body: { type: "string", maxLength: 10_000 },
  },
};

const orderIn = {
  type: "object",
  required: ["number", "price", "quantity"],
  properties: {
    number: { type: "string", maxLength: 100 },
    price: { type: "number" },
    quantity: { type: "integer" },
  },
};
const verdict = {
  type: "object",
  properties: { number: { type: "string" }, accepted: { type: "boolean" } },
};

const COLUMNS = `id, title, body, created_at as "createdAt"`;
const FIND = { name: "find", text: `select ${COLUMNS} from notes where id = $1` };
const ADD = {
  name: "add",
  text: `insert into notes (id, title, body, created_at) values ($1, $2, $3, $4) returning ${COLUMNS}`,
};

const BEGIN_RUN = {
  name: "begin run",
  text: "insert into runs (id, status, input, created_at) values ($1, 'running', $2, $3)",
};
const END_RUN = {
  name: "end run",
  text: "update runs set status = 'completed', output = $2, finished_at = $3 where id = $1",
};

const connection = JSON.parse(process.env["REFERENCE_DATABASE"] ?? "{}") as pg.ClientConfig;
const pool = new pg.Pool({ ...connection, max: 16 });
const app = Fastify();

app.get<{ Params: { id: string } }>(
  "/notes/:id",
  { schema: { response: { 200: reply } } },
  async (request, answer) => {
    const { rows } = await pool.query({ ...FIND, values: [request.params.id] });
    return rows.length === 0 ? answer.code(404).send() : { data: rows[0] };
  },
);

app.post<{ Body: NoteIn }>(
  "/notes",
  { schema: { body: noteIn, response: { 201: reply } } },
  async (request, answer) => {
    const { title, body } = request.body;
    const values = [`note_${randomUUID()}`, title, body, new Date()];
    const { rows } = await pool.query({ ...ADD, values });
    answer.code(201);
    return { data: rows[0] };
  },
);

app.post<{ Body: Order }>(
  "/runs",
  { schema: { body: orderIn, response: { 200: verdict } } },
  async ({ body }) => {
    const id = `run_${randomUUID()}`;
    await pool.query({ ...BEGIN_RUN, values: [id, JSON.stringify(body), new Date()] });
    const answer = { number: body.number, accepted: body.price * body.quantity > 100 };
    await pool.query({ ...END_RUN, values: [id, JSON.stringify(answer), new Date()] });
    return answer;
  },
);

serveOrders(app, pool);
serveSales(app, pool);

app.get("/readyz", async () => ({ status: "ready" }));

process.once("SIGTERM", () => {
  void app.close().then(() => pool.end());
});
await app.listen({ host: "127.0.0.1", port: Number(process.env["PORT"]) });
