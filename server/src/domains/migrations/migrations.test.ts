import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { items, migrationWorkspace } from "./testing/workspace.ts";

const world = await useWorld();

test("creates, reads, updates and deletes an unapplied migration", async () => {
  const { owner, write, remove, lastEvent } = await migrationWorkspace(world);
  const written = await owner("POST /api/v1/migrations", {
    name: "Items",
    up: [items, "alter table items add column day date"],
  });
  expect(written).toMatchObject({
    status: 201,
    events: ["migration.created"],
    headers: { location: `/api/v1/migrations/${written.body.data.id}`, etag: '"1"' },
    body: {
      data: {
        number: 1,
        name: "Items",
        status: "pending",
        statuses: { production: "pending", staging: "pending", development: "pending" },
        statusChangedAt: null,
        error: null,
        up: [{ ...items }, { op: "sql", sql: "alter table items add column day date" }],
        down: null,
        statements: [],
      },
    },
  });
  const { id, checksum } = written.body.data;
  const changed = await owner(`PATCH /api/v1/migrations/${id}`, { down: ["drop table items"] });
  expect(changed).toMatchObject({
    status: 200,
    events: ["migration.updated"],
    body: { data: { number: 1, down: [{ op: "sql", sql: "drop table items" }] } },
  });
  expect(changed.body.data.checksum).not.toBe(checksum);
  const event = await lastEvent();
  expect(event).toMatchObject({
    resource: { type: "migration", id, displayName: "Items" },
    data: { before: { checksum, steps: 2 }, changes: ["checksum"] },
  });
  const second = await write([{ op: "drop_table", table: "items" }]);
  const { body } = await owner("GET /api/v1/migrations");
  expect(body.data.map((one: any) => [one.number, one.id, one.status])).toEqual([
    [2, second, "pending"],
    [1, id, "pending"],
  ]);
  expect(body.data[0]).not.toHaveProperty("up");
  const first = await owner("GET /api/v1/migrations?limit=1");
  const { nextCursor } = first.body.pagination;
  const rest = await owner(`GET /api/v1/migrations?limit=1&after=${nextCursor}`);
  expect(rest.body).toMatchObject({ data: [{ id }], pagination: { hasMore: false } });
  expect(await remove(id)).toMatchObject({
    status: 204,
    events: ["migration.deleted"],
  });
  expect(await owner(`GET /api/v1/migrations/${id}`)).toMatchObject({ status: 404 });
});

test("applying changes tables and emits events; a rollback leaves no trace", async () => {
  const {
    owner,
    write,
    apply,
    rollBack,
    read,
    remove,
    lastEvent,
    dumpTables: everything,
  } = await migrationWorkspace(world);
  const empty = await everything();
  const id = await write([
    items,
    { op: "add_column", table: "items", column: { name: "paid", type: "boolean" } },
    {
      op: "create_table",
      table: "parts",
      columns: [
        { name: "item", type: "reference", options: { table: "items" }, onDelete: "cascade" },
      ],
    },
  ]);
  const answer = await apply(id);
  expect(answer).toMatchObject({
    status: 200,
    events: ["table.created", "table.created", "migration.applied"],
    body: {
      data: {
        id,
        status: "applied",
        statuses: { production: "applied", staging: "pending", development: "pending" },
        dryRun: false,
        recordsChanged: 0,
        error: null,
      },
    },
  });
  expect(answer.body.data.statements.join("\n")).toMatch(
    /^create table "items" \([^]*create table "parts"/,
  );
  expect(answer.body.data.statements.join("\n")).not.toMatch(/tables_p_|millrace/);
  expect(await read(id)).toMatchObject({
    statements: answer.body.data.statements,
    statusChangedAt: expect.any(String),
  });
  const event = await lastEvent();
  expect(event).toMatchObject({
    type: "migration.applied",
    data: {
      id,
      number: 1,
      steps: 3,
      statements: answer.body.data.statements.length,
      recordsChanged: 0,
    },
  });
  await owner("POST /api/v1/tables/items/records", { title: "One" });
  expect(await apply(id)).toMatchObject({
    status: 409,
    body: { code: "migration_already_applied" },
  });
  expect(await owner(`PATCH /api/v1/migrations/${id}`, { name: "x" })).toMatchObject({
    status: 409,
    body: { code: "migration_applied", detail: "The migration is applied in production." },
  });
  expect(await remove(id)).toMatchObject({ status: 409 });
  expect(await rollBack(id)).toMatchObject({
    status: 200,
    events: ["table.dropped", "table.dropped", "migration.rolled_back"],
    body: { data: { status: "rolled_back" } },
  });
  expect(await everything()).toEqual(empty);
  expect(await rollBack(id)).toMatchObject({
    status: 409,
    body: { code: "migration_not_applied" },
  });
  // It can be applied again.
  expect(await apply(id)).toMatchObject({ status: 200, body: { data: { status: "applied" } } });
});

test("a rollback restores the structure, and data as far as it still exists", async () => {
  const {
    owner,
    write,
    apply,
    rollBack,
    applied,
    remove,
    recordsOf,
    dumpTables: everything,
  } = await migrationWorkspace(world);
  await applied([items]);
  const { body } = await owner("POST /api/v1/tables/items/records", { title: "One", amount: 5 });
  const before = await everything();
  const id = await applied([
    { op: "rename_column", table: "items", from: "title", to: "heading" },
    {
      op: "alter_column",
      table: "items",
      column: "amount",
      change: { type: "text", indexed: false },
    },
    { op: "add_index", table: "items", columns: ["heading", "createdAt"] },
  ]);
  expect((await owner(`GET /api/v1/tables/items/records/${body.data.id}`)).body.data).toMatchObject(
    {
      heading: "One",
      amount: "5",
    },
  );
  expect(await rollBack(id)).toMatchObject({ events: ["table.updated", "migration.rolled_back"] });
  expect(await everything()).toEqual(before);
  expect(await recordsOf("items")).toMatchObject([{ title: "One", amount: 5 }]);

  expect(await apply(await write(["drop table items"]))).toMatchObject({
    status: 409,
    body: {
      detail: "Migration 2 was rolled back in this environment: apply it again or delete it.",
    },
  });
  await remove(id);
  await owner(
    `DELETE /api/v1/migrations/${(await owner("GET /api/v1/migrations")).body.data[0].id}`,
  );
  const dropping = await applied([{ op: "drop_column", table: "items", column: "title" }]);
  expect(await rollBack(dropping)).toMatchObject({ status: 200 });
  // A dropped column is restored empty, so it cannot be required.
  expect(await recordsOf("items")).toMatchObject([{ title: null, amount: 5 }]);
});

test("migrations are applied in order, and rolled back starting with the last", async () => {
  const { write, apply, rollBack } = await migrationWorkspace(world);
  const first = await write([items]);
  const second = await write(["alter table items add column day date"]);
  const third = await write(["alter table items add column place text"]);
  expect(await apply(second)).toMatchObject({
    status: 409,
    events: [],
    body: { code: "migration_out_of_order", detail: "Migration 1 comes first." },
  });
  for (const id of [first, second, third]) expect(await apply(id)).toMatchObject({ status: 200 });
  expect(await rollBack(first)).toMatchObject({
    status: 409,
    body: { code: "migration_not_newest", detail: "Migration 3 must be rolled back first." },
  });
  expect(await rollBack(third)).toMatchObject({ status: 200 });
  expect(await rollBack(second)).toMatchObject({ status: 200 });
  expect(await apply(third)).toMatchObject({ status: 409, events: [] });
});

test("a dry run returns the statements and changes nothing", async () => {
  const {
    write,
    apply,
    rollBack,
    read,
    remove,
    dumpTables: everything,
  } = await migrationWorkspace(world);
  const before = await everything();
  const id = await write([items, "insert into items (title) values ('One'), ('Two')"]);
  const answer = await apply(id, { dryRun: true });
  expect(answer).toMatchObject({
    status: 200,
    events: [],
    headers: { etag: '"1"' },
    body: { data: { status: "pending", dryRun: true, recordsChanged: 2 } },
  });
  expect(answer.body.data.statements.at(-1)).toBe(
    "insert into items (title) values ('One'), ('Two')",
  );
  expect(await everything()).toEqual(before);
  expect(await read(id)).toMatchObject({
    status: "pending",
    statements: [],
  });
  const wrong = await write(["drop table nothing"]);
  expect(await apply(wrong, { dryRun: true })).toMatchObject({ status: 409, events: [] });
  expect(await apply(id)).toMatchObject({ status: 200 });
  expect(await apply(wrong, { dryRun: true })).toMatchObject({
    status: 422,
    events: [],
    body: { code: "migration_failed", step: 0 },
  });
  expect((await read(wrong)).status).toBe("pending");
  await remove(wrong);
  expect(await rollBack(id, { dryRun: true })).toMatchObject({ status: 409 });
});

test("each environment has its own state, and gets the same tables", async () => {
  const {
    owner,
    write,
    apply,
    read,
    remove,
    dumpTables: everything,
  } = await migrationWorkspace(world);
  const id = await write([items]);
  const dev = { "x-environment": "development" };
  expect(await apply(id, undefined, dev)).toMatchObject({
    status: 200,
    body: {
      data: { status: "applied", statuses: { production: "pending", development: "applied" } },
    },
  });
  expect((await owner("GET /api/v1/tables")).body.data).toEqual([]);
  expect(await read(id)).toMatchObject({
    status: "pending",
    statements: [],
  });
  expect(await remove(id)).toMatchObject({
    body: { detail: "The migration is applied in development." },
  });
  expect(await apply(id)).toMatchObject({ status: 200 });
  const { columns } = await everything();
  const spaces = Map.groupBy(columns, (column) => column.table_schema.slice(0, 9));
  const shape = (space: string) =>
    spaces
      .get(space)
      ?.filter(({ table_name }) => table_name === "items")
      .map((one) => one.column_name);
  expect(shape("tables_d_")).toEqual(shape("tables_p_"));
  expect(shape("tables_p_")).toContain("title");
});

test("a table changed outside of migrations is not rolled back", async () => {
  const { applied, rollBack } = await migrationWorkspace(world);
  const id = await applied([items]);
  await world.sql("update table_migrations set checksum = 'another' where id = $1", [id]);
  expect(await rollBack(id)).toMatchObject({
    status: 409,
    events: [],
    body: { code: "migration_changed" },
  });
});

test("two concurrent runs are serialized: one applies it, the other gets a conflict", async () => {
  const { owner, write, apply } = await migrationWorkspace(world);
  const id = await write([items]);
  const answers = await Promise.all([apply(id), apply(id), apply(id)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  const numbers = await Promise.all(
    Array.from({ length: 5 }, () =>
      owner("POST /api/v1/migrations", { name: "x", up: ["drop table items"] }),
    ),
  );
  expect(numbers.map(({ body }) => body.data.number).toSorted()).toEqual([2, 3, 4, 5, 6]);
});

test("records created by a token's migration belong to its member", async () => {
  const { owner, write, applied, workspace } = await migrationWorkspace(world);
  await applied([items]);
  const id = await write(["insert into items (title) values ('By a token')"]);
  const { body: made } = await owner("POST /api/v1/auth/tokens", {
    name: "Deployer",
    expiresIn: null,
    scopes: ["migrations:write"],
  });
  const deployer = world.asToken(made.data.token, workspace.slug);
  expect((await deployer(`POST /api/v1/migrations/${id}/apply`)).status).toBe(200);
  const { body } = await owner("GET /api/v1/tables/items/records");
  expect(body.data).toMatchObject([{ title: "By a token", createdBy: owner.userId }]);
});
