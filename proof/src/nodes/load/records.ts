import type { Writer } from "./writer.ts";

const RECORDS = "/api/v1/tables/orders/records";
const UPDATES = 3;
const BULK = 10;

/** Creates an order and changes it several times. Then tries to create it again, which must be rejected. */
export const orders: Writer = {
  kind: "order",
  async write({ client, name }) {
    const about = name;
    const made = await client.act({
      id: `${name}-0`,
      about,
      route: `POST ${RECORDS}`,
      body: { number: name, quantity: 0 },
      status: 201,
      events: ["record.created"],
    });
    if (!made) return;
    for (let quantity = 1; quantity <= UPDATES; quantity += 1) {
      await client.act({
        id: `${name}-${quantity}`,
        about,
        route: `PATCH ${RECORDS}/${made.data.id}`,
        body: { quantity },
        status: 200,
        events: ["record.updated"],
      });
    }
    await client.act({
      id: `${name}-again`,
      about,
      route: `POST ${RECORDS}`,
      body: { number: name, quantity: -1 },
      status: 409,
    });
  },
};

/** The final quantity of an order. */
export const LAST_QUANTITY = UPDATES;

/** Creates a bulk of orders. Then another bulk whose last number exists, which must create none. */
export const batches: Writer = {
  kind: "batch",
  async write({ client, name }) {
    const records = Array.from({ length: BULK }, (_, n) => ({
      number: `${name}-${n}`,
      quantity: LAST_QUANTITY,
    }));
    await client.act({
      id: `${name}-0`,
      about: name,
      route: `POST ${RECORDS}/bulk`,
      body: { records },
      status: 201,
      events: records.map(() => "record.created"),
    });
    const others = records.map((record) => ({ ...record, number: `${record.number}-refused` }));
    await client.act({
      id: `${name}-1`,
      about: name,
      route: `POST ${RECORDS}/bulk`,
      body: { records: [...others, records[0]] },
      status: 409,
    });
  },
};

/** The numbers of a created bulk. */
export function numbersOf(batch: string): readonly string[] {
  return Array.from({ length: BULK }, (_, n) => `${batch}-${n}`);
}
