/** A workspace with 10,000 records, tickets and their events, created by SQL in a few seconds. */
import { expect } from "vitest";
import { schemaOf } from "#kernel/db/sql-runner.ts";
import type { Ask, World } from "#kernel/testing/world.ts";

const ROWS = 10_000;
const TEXTS = 12;

/** Fills the owner's workspace. The table is called `large`. */
export async function fillWorkspace(world: World, owner: Ask): Promise<void> {
  await fillTable(world, owner);
  await fillQueue(world, owner);
}

async function fillTable(world: World, owner: Ask): Promise<void> {
  const texts = Array.from({ length: TEXTS }, (_, n) => `t${n}`);
  const columns = [
    { name: "name", type: "text" },
    { name: "n", type: "integer" },
    { name: "at", type: "timestamp" },
    { name: "extra", type: "json" },
    ...texts.map((name) => ({ name, type: "text" })),
  ];
  const table = { name: "Large", slug: "large", columns };
  const answer = await owner("POST /api/v1/tables", table);
  expect(answer.body.errors ?? answer.status).toBe(201);
  const schema = schemaOf({ workspace: world.home, environment: "production" });
  await world.sql(
    `insert into "${schema}"."large" (id, name, n, at, extra, ${texts.join(", ")})
     select 'rec_' || lpad(g::text, 26, '0'), 'Row ' || g, g, now() - g * interval '1 minute', '{"a":[1,2,3]}',
            ${texts.map((_, n) => `'a text of row ' || g || ' in column ${n}'`).join(", ")}
       from generate_series(1, ${ROWS}) g`,
  );
}

/** Copies of one incident with all its events. */
async function fillQueue(world: World, owner: Ask): Promise<void> {
  const { body } = await owner("POST /api/v1/itsm/incidents", {
    title: "The printer on the second floor prints nothing but blank pages",
    description: "It began this morning. ".repeat(40),
  });
  const { id } = body.data as { readonly id: string };
  await owner(`POST /api/v1/itsm/incidents/${id}/comments`, { body: "We look into it." });
  await owner(`PATCH /api/v1/itsm/incidents/${id}`, { state: "on_hold", onHoldReason: "Parts" });
  const copied = `'inc_' || lpad(g::text, 26, '0')`;
  await copyRows(world, "incidents", {
    where: `id = '${id}'`,
    changed: {
      id: copied,
      no: "1000000 + g",
      number: "'INC-' || (1000000 + g)",
      is_open: undefined,
    },
  });
  await copyRows(world, "events", {
    where: `resource_id = '${id}'`,
    changed: {
      seq: undefined,
      resource_id: copied,
      data: `replace(data::text, '${id}', ${copied})::jsonb`,
    },
  });
}

async function copyRows(
  world: World,
  table: string,
  copy: {
    readonly where: string;
    /** Expressions of changed columns. Undefined for values computed by the database. */
    readonly changed: Readonly<Record<string, string | undefined>>;
  },
): Promise<void> {
  const rows = await world.sql(
    "select column_name as name from information_schema.columns where table_name = $1 and table_schema = 'public'",
    [table],
  );
  const names = rows
    .map(({ name }) => name as string)
    .filter((name) => !(name in copy.changed) || copy.changed[name] !== undefined);
  const values = names.map((name) => copy.changed[name] ?? `"${name}"`);
  await world.sql(
    `insert into ${table} (${names.map((name) => `"${name}"`).join(", ")})
     select ${values.join(", ")} from ${table}, generate_series(1, ${ROWS}) g where ${copy.where}`,
  );
}
