import { idsOf, orderOf } from "../furniture.ts";
import { at, type Deed, ORDERS } from "./deed.ts";

const RECORDS_MAX = 3_000;
const BULK_RECORDS = 20;

/** Actions on the records of a table. */
export const records: readonly Deed[] = [
  {
    name: "read a record",
    weight: 22,
    statuses: [200, 404],
    act: (api, { recordIds }, n) => api.ask(`GET ${ORDERS}/${at(recordIds, n)}`),
  },
  {
    name: "list records",
    weight: 8,
    statuses: [200],
    act(api, _things, n) {
      const filter = encodeURIComponent(JSON.stringify({ status: orderOf(n)["status"] }));
      return api.ask(`GET ${ORDERS}?limit=20&filter=${filter}`);
    },
  },
  {
    name: "create a record",
    weight: 8,
    statuses: [201],
    async act(api, { recordIds }, n) {
      const reply = await api.ask(`POST ${ORDERS}`, orderOf(n));
      if (reply.status === 201) recordIds.push(reply.body.data.id);
      return reply;
    },
  },
  {
    name: "change a record",
    weight: 10,
    statuses: [200, 404],
    act: (api, { recordIds }, n) => api.ask(`PATCH ${ORDERS}/${at(recordIds, n)}`, { amount: n }),
  },
  {
    name: "delete a record",
    weight: 6,
    statuses: [200, 204, 404],
    // Deletes as many as are created, after a minimum.
    act: (api, { recordIds }, n) =>
      api.ask(
        recordIds.length > RECORDS_MAX
          ? `DELETE ${ORDERS}/${recordIds.shift()}`
          : `GET ${ORDERS}/${at(recordIds, n)}`,
      ),
  },
  {
    name: "create many records",
    weight: 0.5,
    statuses: [201],
    async act(api, { recordIds }, n) {
      const many = Array.from({ length: BULK_RECORDS }, (_, k) => orderOf(n + k));
      const reply = await api.ask(`POST ${ORDERS}/bulk`, { records: many });
      if (reply.status === 201) recordIds.push(...idsOf(reply.body.data));
      return reply;
    },
  },
  {
    name: "delete many records",
    weight: 1,
    statuses: [200],
    act(api, { recordIds }) {
      const surplus = Math.max(1, Math.min(2 * BULK_RECORDS, recordIds.length - RECORDS_MAX));
      const filter = JSON.stringify({ id: { in: recordIds.splice(0, surplus) } });
      return api.ask(`DELETE ${ORDERS}/bulk?filter=${encodeURIComponent(filter)}`);
    },
  },
];
