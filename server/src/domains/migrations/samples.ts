import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask } from "#kernel/testing/world.ts";

let count = 0;

function freshTable(): string {
  count += 1;
  return `migrated_${count}`;
}

const making = (table: string) => ({
  op: "create_table",
  table,
  columns: [{ name: "title", type: "text" }],
});

/** Deletes pending migrations, which would block later ones. */
async function clear(owner: Ask): Promise<void> {
  const { body } = await owner("GET /api/v1/migrations?limit=200");
  for (const { id, status } of body.data) {
    if (status !== "applied") await owner(`DELETE /api/v1/migrations/${id}`);
  }
}

/** Creates a migration; it is the same in all environments. */
async function written(owner: Ask, up: readonly unknown[] = [making(freshTable())]) {
  await clear(owner);
  const { body } = await owner("POST /api/v1/migrations", { name: "A sample", up });
  return { params: { id: body.data.id as string }, environmentScoped: false };
}

async function applied(owner: Ask, up?: readonly unknown[]) {
  const migration = await written(owner, up);
  await owner(`POST /api/v1/migrations/${migration.params.id}/apply`);
  return migration;
}

async function madeTable(owner: Ask): Promise<string> {
  const table = freshTable();
  await owner("POST /api/v1/tables", { name: table, columns: [{ name: "title", type: "text" }] });
  return table;
}

const adding = (table: string) => `alter table ${table} add column day date`;

export const samples: readonly Sample[] = [
  { operation: "migrations.list", arrange: async () => ({ query: { limit: "2" } }) },
  {
    operation: "migrations.create",
    arrange: async () => ({
      body: {
        name: "A sample",
        up: [making(freshTable()), "drop table if exists nothing"],
        down: null,
      },
      environmentScoped: false,
    }),
  },
  { operation: "migrations.get", arrange: (owner) => written(owner) },
  {
    operation: "migrations.update",
    arrange: async (owner) => ({
      ...(await written(owner)),
      body: { name: "Changed", up: ["drop table nothing"], down: [making("nothing")] },
    }),
  },
  { operation: "migrations.delete", arrange: (owner) => written(owner) },
  {
    operation: "migrations.apply",
    arrange: async (owner) => ({ ...(await written(owner)), body: { dryRun: false } }),
  },
  {
    operation: "migrations.apply",
    name: "changes a table",
    arrange: async (owner) => written(owner, [adding(await madeTable(owner))]),
  },
  {
    operation: "migrations.apply",
    name: "drops a table",
    arrange: async (owner) => written(owner, [`drop table ${await madeTable(owner)}`]),
  },
  {
    operation: "migrations.apply",
    name: "fails",
    arrange: async (owner) => ({ ...(await written(owner, ["drop table nothing"])), status: 422 }),
  },
  {
    operation: "migrations.rollback",
    arrange: async (owner) => ({ ...(await applied(owner)), body: { dryRun: false } }),
  },
  {
    operation: "migrations.rollback",
    name: "changes a table back",
    arrange: async (owner) => applied(owner, [adding(await madeTable(owner))]),
  },
  {
    operation: "migrations.rollback",
    name: "makes a table again",
    arrange: async (owner) => applied(owner, [`drop table ${await madeTable(owner)}`]),
  },
  {
    operation: "migrations.rollback",
    name: "fails",
    arrange: async (owner) => {
      const table = freshTable();
      const migration = await applied(owner, [making(table)]);
      await owner(`DELETE /api/v1/tables/${table}`);
      return { ...migration, status: 422 };
    },
  },
];
