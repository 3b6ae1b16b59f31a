import Type from "typebox";
import { Failure, Invalid, invalidField } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import {
  created as answered,
  noContent,
  item,
  page,
  withRevision,
} from "#kernel/operation/response.ts";
import { idPattern } from "#kernel/schema/id.ts";
import { object } from "#kernel/schema/schema.ts";
import { TablesRead, TablesWrite } from "../permissions.ts";
import { nameColumns } from "../columns/naming/column-title.ts";
import { allowedActions } from "../schema/grants.ts";
import * as store from "../store.ts";
import { ACTIONS, NoSuchTable, Slug, SLUG_PATTERN, SlugTaken, Table } from "../table.ts";
import { runSteps } from "./apply-steps.ts";
import { changeToSteps, effectOfChange, TableChange } from "./table-change.ts";
import {
  tableRef,
  tableEventData,
  TableCreated,
  TableDropped,
  TableUpdated,
  tableUpdateData,
} from "../events.ts";
import { STRUCTURE_FAILURES, TableReferenced, TooManyTables } from "./failures.ts";
import { newTableFields, tableFields } from "./step.ts";

const SLUG_CHARACTERS_MAX = 63;
const BySlug = object({ slug: Slug });
const BySlugOrId = object({
  slug: Type.String({
    pattern: `${SLUG_PATTERN}|${idPattern("tbl")}`,
    description: "The table's slug, or its id",
  }),
});
const example = { params: { slug: "orders" } };
const LIST = "tables, newest first";
/** Greater than every id. */
const AFTER_ALL = "~";

/** A table with the actions that its rules allow the caller. */
export const TableResponse = Type.Object(
  {
    ...Table.properties,
    access: Type.Array(Type.Enum([...ACTIONS]), {
      description:
        "Actions on some records that the access rules allow, if your permissions allow them too",
    }),
  },
  { title: "TableWithAccess" },
);

export const listTables = query({
  id: "tables.list",
  route: "GET /api/v1/tables",
  summary: "List tables, newest first",
  permission: TablesRead,
  query: object(pageQuery),
  response: page(withRevision(TableResponse)),
  async run(ctx, { query: { limit, after } }) {
    const { cursors } = ctx.services;
    const [start = AFTER_ALL] = after === undefined ? [] : cursors.decode(LIST, after);
    const rows = await store.listTablePage(ctx.tx, { before: String(start), limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (table) => withAccess(ctx, table),
      ({ id }) => cursors.encode(LIST, [id]),
    );
  },
});

export const createTable = command({
  id: "tables.create",
  effect: "ordinary",
  route: "POST /api/v1/tables",
  summary: "Create a table",
  description:
    "Creates a PostgreSQL table in the environment of the request. Records have `id`, `createdAt`, `updatedAt` and `createdBy` in addition to the columns. The default `slug` is derived from the name. A reference can refer to an existing table, this table, or `users`. Without access rules, everyone with the permission can access all records.",
  permission: TablesWrite,
  body: object({ name: tableFields.name, slug: Type.Optional(Slug), ...newTableFields }),
  response: answered(TableResponse, { location: ({ slug }) => `/api/v1/tables/${slug}` }),
  emits: [TableCreated],
  fails: [SlugTaken, TooManyTables],
  example: {
    body: {
      name: "Orders",
      columns: [
        { name: "number", type: "autonumber", unique: true },
        { name: "customer", type: "text", required: true, indexed: true },
        { name: "status", type: "enum", options: { values: ["new", "paid"] } },
        { name: "total", type: "decimal", options: { scale: 2, min: 0 } },
      ],
    },
  },
  async run(ctx, { body: { slug: requestedSlug, ...rest } }) {
    const slug = requestedSlug ?? toSlug(rest.name);
    if (slug === "")
      throw invalidField("/slug", "is required, because it can't be derived from the name");
    const { columns, errors } = nameColumns(rest.columns, { path: "/columns" });
    if (errors.length > 0) throw new Failure(Invalid, { errors });
    const { created } = await runSteps(
      ctx,
      [{ op: "create_table", table: slug, ...rest, columns }],
      (_, path) => (path === "/table" ? "/slug" : path),
    );
    const table = requireTable(created[0]);
    ctx.emit(TableCreated, tableRef(table), tableEventData(table));
    return withAccess(ctx, table);
  },
});

export const getTable = query({
  id: "tables.get",
  route: "GET /api/v1/tables/{slug}",
  summary: "Get a table with its columns, indexes and rules",
  permission: TablesRead,
  params: BySlugOrId,
  response: item(TableResponse),
  example,
  async run(ctx, { params: { slug } }) {
    const table = await store.findTable(ctx.tx, slug);
    return withAccess(ctx, requireTable(table ?? (await store.findTableById(ctx.tx, slug))));
  },
});

export const updateTable = command({
  id: "tables.update",
  effect: async (_platform, { body }) => effectOfChange(body),
  route: "PATCH /api/v1/tables/{slug}",
  summary: "Update the columns, indexes and rules of a table",
  description:
    "Applies all changes or none, in this order: `renameColumns`, `dropIndexes`, `dropColumns`, `alterColumns`, `addColumns`, `addIndexes`, then `name`, `description` and `rules`. Changes after the renames use the new names. Rules follow renamed columns; rules on dropped columns must be changed in the same request (409). Existing records get the default of a new column, and keep their data when the type changes if every value can be converted (otherwise 422). `alterColumns` contains the changes: `[{ name, title?, type?, required?, unique?, indexed?, default?, options?, description? }]`; `options` replaces all options. No events are appended for records.",
  permission: TablesWrite,
  params: BySlug,
  body: TableChange,
  response: item(TableResponse),
  emits: [TableUpdated],
  allowNoop: true,
  fails: STRUCTURE_FAILURES,
  example: {
    ...example,
    body: {
      addColumns: [{ name: "paidAt", type: "timestamp" }],
      renameColumns: { customer: "client" },
      alterColumns: [{ name: "total", required: true }],
    },
  },
  async run(ctx, { params: { slug }, body }) {
    await store.lockStructure(ctx.tx);
    const table = requireTable(await store.lockTable(ctx.tx, slug));
    ctx.expectRevision(table.revision);
    const { steps, at } = changeToSteps(table, body);
    const { updated } = await runSteps(ctx, steps, at);
    for (const change of updated) ctx.emit(TableUpdated, ...tableUpdateData(change));
    return withAccess(ctx, updated.find(({ after }) => after.id === table.id)?.after ?? table);
  },
});

export const dropTable = command({
  id: "tables.drop",
  route: "DELETE /api/v1/tables/{slug}",
  summary: "Delete a table and its records",
  description: "Fails with 409 if another table has references to it.",
  permission: TablesWrite,
  params: BySlug,
  response: noContent(),
  emits: [TableDropped],
  fails: [TableReferenced],
  example,
  async run(ctx, { params: { slug } }) {
    await store.lockStructure(ctx.tx);
    ctx.expectRevision(requireTable(await store.lockTable(ctx.tx, slug)).revision);
    const { dropped } = await runSteps(ctx, [{ op: "drop_table", table: slug }]);
    for (const table of dropped) ctx.emit(TableDropped, tableRef(table), tableEventData(table));
  },
});

export const tableOperations = [listTables, createTable, getTable, updateTable, dropTable];

function withAccess({ caller }: ReadContext, table: Table) {
  return { ...table, access: allowedActions(table, caller.principal) };
}

/** Derives a slug from a name; empty if no character is allowed. */
function toSlug(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replace(/^[^a-z]+/, "")
    .slice(0, SLUG_CHARACTERS_MAX)
    .replace(/_+$/, "");
}

function requireTable(table: Table | undefined): Table {
  if (!table) throw new Failure(NoSuchTable);
  return table;
}
