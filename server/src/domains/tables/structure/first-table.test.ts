/** Everything of the database that the first tables of several workspaces could meet at. */
import pg from "pg";
import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld({ env: { MILLRACE_DATABASE_POOL: "20" } });
const WORKSPACES = 16;
const COLUMNS = [{ name: "title", type: "text" }];

test("sixteen new workspaces make their first table, or apply their first migration, at once", async () => {
  const firsts = await Promise.all(
    Array.from({ length: WORKSPACES }, async (_, n) => {
      const owner = await world.member(["owner"], await world.workspace(`first-${n}`));
      if (n % 2 === 0) {
        const table = { name: "Tasks", slug: "tasks", columns: COLUMNS };
        return () => owner("POST /api/v1/tables", table);
      }
      const up = [
        { op: "create_table", table: "tasks", columns: COLUMNS },
        "insert into tasks (title) values ('first')",
      ];
      const { body } = await owner("POST /api/v1/migrations", { name: "First", up });
      return () => owner(`POST /api/v1/migrations/${body.data.id}/apply`);
    }),
  );
  const answers = await Promise.all(firsts.map((first) => first()));
  expect(answers.map(({ status, events }) => `${status} ${events.join(" ")}`)).toEqual(
    Array.from({ length: WORKSPACES }, (_, n) =>
      n % 2 === 0 ? "201 table.created" : "200 table.created migration.applied",
    ),
  );
  const growth = await world.sql(
    `select proname from pg_proc p, aclexplode(p.proacl) a join pg_roles r on r.oid = a.grantee
      where rolname ~ '^millrace_[or]._'`,
  );
  expect(growth).toEqual([]);
});

test("the slow creation of a first table does not block other workspaces", async () => {
  const slow = await world.workspace("slow");
  const client = new pg.Client(world.database.app);
  await client.connect();
  try {
    await client.query("begin read write");
    await client.query(
      "select set_config('millrace.workspace', $1, true), set_config('millrace.environment', 'production', true)",
      [slow.key],
    );
    await client.query("select make_user_schema()");
    const owner = await world.member(["owner"], await world.workspace("quick"));
    const table = { name: "Tasks", slug: "tasks", columns: COLUMNS };
    expect(await owner("POST /api/v1/tables", table)).toMatchObject({ status: 201 });
  } finally {
    await client.end();
  }
});
