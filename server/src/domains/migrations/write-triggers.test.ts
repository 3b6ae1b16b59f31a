import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { schemaSql } from "#domains/tables/testing/tables.ts";
import { items, migrationWorkspace } from "./testing/workspace.ts";

const world = await useWorld();

/** Tables by what they refer to, and the action on deletion. */
const REFERRING = [
  ["strict", "items", "restrict"],
  ["loose", "items", "set_null"],
  ["bound", "items", "cascade"],
  ["bound_loose", "bound", "set_null"],
  ["loose_bound", "loose", "cascade"],
] as const;

/** A workspace with those tables, and a record in each that refers to one in another. */
async function referring() {
  const place = await migrationWorkspace(world);
  const { owner, write, apply, applied, workspace } = place;
  await applied([
    items,
    { ...items, table: "others" },
    ...REFERRING.map(([table, target, onDelete]) => ({
      op: "create_table",
      table,
      columns: [
        { name: "title", type: "text" },
        { name: "parent", type: "reference", options: { table: target, onDelete } },
      ],
    })),
  ]);
  const ids = new Map<string, string>();
  const make = async (table: string, fields: object) => {
    const { body } = await owner(`POST /api/v1/tables/${table}/records`, fields);
    ids.set(table, body.data.id);
  };
  // Records without strict references can be deleted.
  await make("items", { title: "Kept" });
  await make("strict", { title: "One", parent: ids.get("items") });
  await make("items", { title: "Gone" });
  for (const [table, target] of REFERRING.slice(1)) {
    await make(table, { title: "One", parent: ids.get(target) });
  }
  const at = (table: string) => `/api/v1/tables/${table}/records/${ids.get(table)}`;
  return {
    ...place,
    ids,
    at,
    rename: (table: string) => owner(`PATCH ${at(table)}`, { title: "Two" }),
    /** Runs work while a migration is between these steps and later ones, then lets it finish. */
    async between<T>(first: string, work: () => Promise<T>, ...more: string[]): Promise<T> {
      const id = await write([first, "update others set amount = 2", ...more]);
      const holder = await world.hold(`${schemaSql(workspace.key)}.others`);
      const applying = apply(id);
      try {
        await world.waiting(1);
        return await work();
      } finally {
        await holder.release();
        expect((await applying).body).toMatchObject({ data: { status: "applied" } });
      }
    },
  };
}

test.each(["insert into items (title) values ('New')", "update items set amount = 1"])(
  "a write to a table that refers to another is not blocked by: %s",
  async (sql) => {
    const { between, rename } = await referring();
    const answers = await between(sql, async () => {
      const all = [];
      for (const [table] of REFERRING) all.push((await rename(table)).status);
      return all;
    });
    expect(answers).toEqual(REFERRING.map(() => 200));
  },
);

test("deletions are followed to cascaded deletions and changes, and no further", async () => {
  const { owner, between, rename, at } = await referring();
  const { writing } = await between("delete from items where title = 'Gone'", async () => {
    for (const table of ["strict", "loose_bound"]) expect((await rename(table)).status).toBe(200);
    const waiting = Promise.all(["loose", "bound", "bound_loose"].map(rename));
    await world.waiting(4);
    return { writing: waiting };
  });
  expect((await writing).map(({ status }) => status)).toEqual([200, 404, 200]);
  for (const table of ["loose", "bound_loose"]) {
    // Once by the migration, and once by the waiting writer.
    expect(await owner(`GET ${at(table)}`)).toMatchObject({
      headers: { etag: '"3"' },
      body: { data: { title: "Two", parent: null } },
    });
  }
});

test("a table that SQL writes to later is locked together with the tables it refers to", async () => {
  const { owner, between, ids, recordsOf } = await referring();
  const { writing, modes } = await between(
    "insert into items (title) values ('New')",
    async () => {
      const asked = owner("POST /api/v1/tables/strict/records", {
        title: "Theirs",
        parent: ids.get("items"),
      });
      await world.waiting(2);
      const rows = await world.sql(
        `select mode from pg_locks where not granted
            and database = (select oid from pg_database where datname = current_database())`,
      );
      return { writing: asked, modes: rows.map(({ mode }) => mode).toSorted() };
    },
    "insert into strict (title, parent) select 'Ours', id from items where title = 'New'",
  );
  // Writers wait before they lock the table, not for the referenced record.
  expect(modes).toEqual(["ExclusiveLock", "RowExclusiveLock"]);
  expect((await writing).status).toBe(201);
  expect((await recordsOf("strict")).map(({ title }) => title)).toEqual(["One", "Ours", "Theirs"]);
});
