import { schemaOf } from "../../../../server/src/kernel/db/sql-runner.ts";
import type { SharedDatabase } from "../database.ts";
import type { Ledger } from "../ledger.ts";
import { lastStateOf } from "../load/incidents.ts";
import { LAST_QUANTITY, numbersOf } from "../load/records.ts";
import { type Check, differences } from "./check.ts";

/** The tables contain all acknowledged data in its last state, and no rejected data. */
export const checkState: Check = async ({ database, ledger }) => {
  const orders = await ordersOf(database);
  const incidents = await database.rows(
    `select i.title || ' ' || i.state || ' ' || count(c.id) as what from incidents i
       left join ticket_comments c on c.ticket_id = i.id group by i.id`,
  );
  return {
    line: `${orders.length} records and ${incidents.length} incidents are there once, as their last change left them`,
    faults: [
      ...differences("records", expectedOrders(ledger), orders),
      ...differences(
        "incidents",
        expectedIncidents(ledger),
        incidents.map(({ what }) => what),
      ),
    ],
  };
};

async function ordersOf(database: SharedDatabase): Promise<string[]> {
  const table = await tableOf(database, "orders");
  const rows = await database.rows(`select number || ' ' || quantity as what from ${table}`);
  return rows.map(({ what }) => what);
}

/** The SQL name of a table of the first workspace. */
export async function tableOf({ rows }: SharedDatabase, slug: string): Promise<string> {
  const [row] = await rows("select home_workspace_id as key from installation");
  return `"${schemaOf({ workspace: row.key, environment: "production" })}".${slug}`;
}

function expectedOrders(ledger: Ledger): string[] {
  const made = (kind: string) => ledger.of(kind).filter(({ id }) => id.endsWith("-0"));
  return [
    ...made("order").map(({ about }) => `${about} ${LAST_QUANTITY}`),
    ...made("batch").flatMap(({ about }) =>
      numbersOf(about).map((number) => `${number} ${LAST_QUANTITY}`),
    ),
  ];
}

function expectedIncidents(ledger: Ledger): string[] {
  return ledger
    .of("incident")
    .filter(({ id }) => id.endsWith("-0"))
    .map(({ about }) => {
      const state = lastStateOf(Number(about.slice("incident-".length)));
      return `${about} ${state} ${state === "new" ? 0 : 1}`;
    });
}
