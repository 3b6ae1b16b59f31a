/** A minimal hand-written server: Fastify, pg, one prepared statement per request. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SEED } from "../src/orders.ts";
import { ORDERS_SQL } from "../src/reference-orders.ts";
import { changesOf, newOrders, newRecords, readsOf } from "../src/request.ts";
import { REFERENCE_SQL } from "../src/rig.ts";
import { RECORDS, STATUS } from "./ours.ts";
import type { Peer } from "./peer.ts";
import { query } from "./postgres.ts";

const ID_DIGITS = 26;

/** The reference of `npm run bench`, an upper bound rather than a peer. */
export const bare: Peer = {
  name: "bare",
  title: `Fastify ${versionOf("fastify")}, pg ${versionOf("pg")}`,
  notes: [
    "an upper bound: no tenancy, permissions, events or log; for the workflow two commits of one row",
  ],
  async setUp(stage) {
    const connection = await stage.postgres.create("peers_bare");
    await query(connection, REFERENCE_SQL);
    await query(connection, ORDERS_SQL);
    await query(connection, SEED("orders"), [RECORDS]);
    await query(connection, "vacuum analyze orders");
    return async (ours) => {
      const [workflow, records] = [await ours.workflow(), await ours.records()];
      const start = async () => {
        const child = await stage.start({
          args: [join(import.meta.dirname, "../src/reference.ts")],
          env: { REFERENCE_DATABASE: JSON.stringify(connection) },
        });
        const to = (next: () => string, status = 200) => ({ port: child.port, status, next });
        const paths = Array.from(
          { length: 1_000 },
          (_, at) => `/orders/rec_${String((at + 1) * (RECORDS / 1_000)).padStart(ID_DIGITS, "0")}`,
        );
        return {
          ...child,
          work: [
            { name: "webhook workflow", peer: to(newOrders("/runs")), ours: workflow },
            { name: "record by id", peer: to(readsOf(paths)), ours: records.read },
            {
              name: "list of 50",
              peer: to(readsOf([`/orders?status=${STATUS}`])),
              ours: records.list,
            },
            { name: "create", peer: to(newRecords("/orders"), 201), ours: records.create },
            { name: "update", peer: to(changesOf(paths)), ours: records.update },
          ],
        };
      };
      return [{ name: "", start }];
    };
  },
};

function versionOf(name: string): string {
  const manifest = join(import.meta.dirname, `../../node_modules/${name}/package.json`);
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  return version;
}
