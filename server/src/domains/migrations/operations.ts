import Type from "typebox";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { created, noContent, item, page, withRevision } from "#kernel/operation/response.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import { MigrationsRead, MigrationsWrite } from "./permissions.ts";
import { tableEvents } from "#domains/tables/index.ts";
import { runMigration, prepareRun } from "./apply-migration.ts";
import {
  MigrationApplied,
  MigrationCreated,
  MigrationDeleted,
  MigrationFailed,
  MigrationRolledBack,
  MigrationUpdated,
} from "./migration.ts";
import {
  AlreadyApplied,
  AppliedSomewhere,
  Changed,
  migrationFields,
  Irreversible,
  Migration,
  MigrationId,
  MigrationRun,
  MigrationSummary,
  NotApplied,
  NotNewest,
  OutOfOrder,
  StepFailed,
  TooManyMigrations,
} from "./migration.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

const BODY_BYTES_MAX = 16_777_216;
const LIST = "migrations, newest first";
/** Greater than every number. */
const AFTER_ALL = 2_147_483_647;
const ById = object({ id: MigrationId });
const params = { id: "mig_01jd0000000000000000000000" };
/** A migration is the same in all environments; its status is not. */
const environmentScoped = false;

export const listMigrations = query({
  id: "migrations.list",
  route: "GET /api/v1/migrations",
  summary: "List migrations with their status, newest first",
  permission: MigrationsRead,
  query: object(pageQuery),
  response: page(withRevision(MigrationSummary)),
  async run({ tx, services: { cursors } }, { query: { limit, after } }) {
    const [start = AFTER_ALL] = after === undefined ? [] : cursors.decode(LIST, after);
    const rows = await store.list(tx, { before: Number(start), limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (row) => row,
      ({ number }) => cursors.encode(LIST, [number]),
    );
  },
});

export const createMigration = command({
  id: "migrations.create",
  effect: "ordinary",
  route: "POST /api/v1/migrations",
  summary: "Create a migration",
  description:
    "The migration belongs to the workspace, and can be applied in each environment. Its steps change tables. They can also be SQL: `create table`, `alter table`, `create index`, `drop …` and `comment on` are translated into steps, `insert`, `update` and `delete` change records, and other statements are rejected. A SQL step can contain several statements. Maximum: 262,144 characters in total.",
  permission: MigrationsWrite,
  environmentScoped,
  body: object({
    name: migrationFields.name,
    up: migrationFields.up,
    down: Type.Optional(migrationFields.down),
  }),
  bodyBytesMax: BODY_BYTES_MAX,
  response: created(Migration, { location: ({ id }) => `/api/v1/migrations/${id}` }),
  emits: [MigrationCreated],
  fails: [TooManyMigrations],
  example: {
    body: {
      name: "Suppliers",
      up: [
        {
          op: "create_table",
          table: "suppliers",
          columns: [{ name: "name", type: "text", required: true, unique: true }],
        },
        { op: "sql", sql: "insert into suppliers (name) values ('Acme')" },
      ],
      down: [{ op: "drop_table", table: "suppliers" }],
    },
  },
  prepare: (_, { body }, caller) => service.parseMigrationInput(caller, body),
  run: (ctx, _, draft) => service.create(ctx, draft),
});

export const getMigration = query({
  id: "migrations.get",
  route: "GET /api/v1/migrations/{id}",
  summary: "Get a migration and its status",
  permission: MigrationsRead,
  params: ById,
  response: item(Migration),
  example: { params },
  run: ({ tx }, { params: { id } }) => store.get(tx, id),
});

export const updateMigration = command({
  id: "migrations.update",
  effect: "ordinary",
  route: "PATCH /api/v1/migrations/{id}",
  summary: "Update a migration",
  description:
    "Only for migrations that are not applied in any environment. After a failure it becomes pending again, unless only its name was changed.",
  permission: MigrationsWrite,
  environmentScoped,
  params: ById,
  body: patch(migrationFields),
  bodyBytesMax: BODY_BYTES_MAX,
  response: item(Migration),
  emits: [MigrationUpdated],
  fails: [AppliedSomewhere],
  example: {
    params,
    body: { up: ["alter table suppliers add column country text default 'DE'"], down: null },
  },
  prepare: (_, { body }, caller) => service.parseMigrationInput(caller, body),
  run: (ctx, { params: { id } }, draft) => service.update(ctx, id, draft),
});

export const deleteMigration = command({
  id: "migrations.delete",
  route: "DELETE /api/v1/migrations/{id}",
  summary: "Delete a migration that is not applied",
  permission: MigrationsWrite,
  environmentScoped,
  params: ById,
  response: noContent(),
  emits: [MigrationDeleted],
  fails: [AppliedSomewhere],
  example: { params },
  run: (ctx, { params: { id } }) => service.remove(ctx, id),
});

const RunBody = object({
  dryRun: Type.Optional(
    Type.Boolean({
      default: false,
      description: "Runs everything and rolls it back, to return the statements or the error",
    }),
  ),
});

export const applyMigration = command({
  id: "migrations.apply",
  effect: "drastic",
  route: "POST /api/v1/migrations/{id}/apply",
  summary: "Apply a migration",
  description:
    "Applies the migration in the environment of the request, in one transaction. All migrations with a lower number must be applied there first (409 `migration_out_of_order`). If a step fails (422 `migration_failed`, with the index of the `step`), the migration becomes `failed` and blocks later migrations until it is changed, deleted or applied. Changes of records by SQL append no events, and access rules do not apply.",
  permission: MigrationsWrite,
  params: ById,
  body: RunBody,
  bodyOptional: true,
  response: item(MigrationRun),
  emits: [...tableEvents, MigrationApplied, MigrationFailed],
  allowNoop: true,
  fails: [AlreadyApplied, OutOfOrder, Changed, StepFailed],
  example: { params, body: { dryRun: true } },
  prepare: (platform, { params: { id } }, caller) =>
    prepareRun(platform, caller, { id, direction: "up" }),
  run: (ctx, { params: { id }, body }, prepared) =>
    runMigration(
      ctx,
      {
        id,
        direction: "up",
        dryRun: body?.dryRun ?? false,
        done: (...data) => ctx.emit(MigrationApplied, ...data),
      },
      prepared,
    ),
});

export const rollBackMigration = command({
  id: "migrations.rollback",
  effect: "drastic",
  route: "POST /api/v1/migrations/{id}/rollback",
  summary: "Roll back the newest applied migration",
  description:
    "Runs the `down` steps, or the reverse of the steps in `up`. Restored columns and tables are empty; a restored required column becomes optional if the table has records. A migration that changed records by SQL requires `down` (409 `migration_irreversible`).",
  permission: MigrationsWrite,
  params: ById,
  body: RunBody,
  bodyOptional: true,
  response: item(MigrationRun),
  emits: [...tableEvents, MigrationRolledBack, MigrationFailed],
  allowNoop: true,
  fails: [NotApplied, NotNewest, Irreversible, Changed, StepFailed],
  example: { params, body: { dryRun: true } },
  prepare: (platform, { params: { id } }, caller) =>
    prepareRun(platform, caller, { id, direction: "down" }),
  run: (ctx, { params: { id }, body }, prepared) =>
    runMigration(
      ctx,
      {
        id,
        direction: "down",
        dryRun: body?.dryRun ?? false,
        done: (...data) => ctx.emit(MigrationRolledBack, ...data),
      },
      prepared,
    ),
});

export const migrationOperations = [
  listMigrations,
  createMigration,
  getMigration,
  updateMigration,
  deleteMigration,
  applyMigration,
  rollBackMigration,
];
