import Type from "typebox";
import { authorityOf } from "#domains/identity/accounts/index.ts";
import {
  attachFile,
  deleteFile,
  FileAttached,
  FileId,
  NotAttachable,
} from "#domains/files/index.ts";
import { RecordsWrite } from "#domains/records/index.ts";
import { openTable, Slug } from "#domains/tables/index.ts";
import { authorOf } from "#kernel/access/caller.ts";
import type { Operation } from "#kernel/contract.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageQuery, toPage } from "#kernel/operation/pagination.ts";
import { created, item, noContent, page, withRevision } from "#kernel/operation/response.ts";
import { newId } from "#kernel/schema/id.ts";
import { line, nullable, object } from "#kernel/schema/schema.ts";
import {
  ACTIVE_STATES,
  ColumnMapping,
  EXAMPLE_ID,
  Import,
  ImportCreated,
  ImportDeleted,
  ImportId,
  ImportSummary,
  ImportUpdated,
  ImportWrongState,
  NewTable,
  NO_COUNTS,
  TooManyImports,
} from "./import.ts";
import { assertState, checkMapping, enqueueWork } from "./import-state.ts";
import { lineOperations } from "./line-operations.ts";
import { runOperations } from "./run-operations.ts";
import { FormatInput } from "./source/open-source.ts";
import { CELLS_MAX } from "./source/source-row.ts";
import * as store from "./store.ts";
import { importRef } from "./work.ts";
import { guessMapping } from "./write/line-plan.ts";

const IMPORTS_MAX = 1_000;
const params = object({ id: ImportId });
const example = { params: { id: EXAMPLE_ID } };
const AFTER_ALL = "~";
const LIST = "imports, newest first";

const createImport = command({
  id: "imports.create",
  effect: "ordinary",
  route: "POST /api/v1/imports",
  summary: "Create an import of an uploaded file",
  description:
    "Supports CSV with any separator and encoding, XLSX, and JSON (a list of objects, or one object per line), up to 2,000,000 lines. The whole file is read first. Then (`import.analyzed`, state `ready`) the import contains its columns with their types, date order, decimal mark and examples, and a suggested mapping. Nothing is written until you start the import.",
  permission: RecordsWrite,
  body: object({
    fileId: FileId,
    name: Type.Optional(line(200)),
    table: Type.Optional(Slug),
    format: Type.Optional(FormatInput),
  }),
  response: created(Import, { location: ({ id }) => `/api/v1/imports/${id}` }),
  emits: [ImportCreated],
  fails: [FileAttached, NotAttachable, TooManyImports],
  example: { body: { fileId: "file_01jzt3n5k8q2x4v6w8y0z2b4d6", table: "orders" } },
  async run(ctx, { body }) {
    if ((await store.countImports(ctx.tx)) >= IMPORTS_MAX) throw new Failure(TooManyImports);
    const id = newId("imp", ctx.now.getTime());
    if (body.table !== undefined) await openTable(ctx, body.table);
    const file = await attachFile(ctx, { fileId: body.fileId, resource: { type: "import", id } });
    const { runAs, permissions } = authorityOf(ctx.caller);
    await store.insertImport(ctx, {
      id,
      name: body.name ?? file.name,
      state: "analyzing",
      file_id: body.fileId,
      format_input: body.format ?? {},
      table_slug: body.table ?? null,
      counts: NO_COUNTS,
      run_as: runAs,
      permissions,
      actor: ctx.caller.actor,
      created_by: authorOf(ctx.caller),
    });
    const row = await store.getImport(ctx, id);
    ctx.emit(ImportCreated, importRef(row), store.toSummary(row));
    enqueueWork(ctx, id);
    return store.toImport(row);
  },
});

const getImport = query({
  id: "imports.get",
  route: "GET /api/v1/imports/{id}",
  summary: "Get an import",
  permission: RecordsWrite,
  params,
  response: item(Import),
  example,
  run: async (ctx, { params: { id } }) => store.toImport(await store.getImport(ctx, id)),
});

const listImports = query({
  id: "imports.list",
  route: "GET /api/v1/imports",
  summary: "List your imports, newest first",
  description: "Owners and admins see all imports.",
  permission: RecordsWrite,
  query: object({ ...pageQuery, table: Type.Optional(Slug) }),
  response: page(withRevision(ImportSummary)),
  async run(ctx, { query: { limit, after, table } }) {
    const { cursors } = ctx.services;
    const [start = AFTER_ALL] = after === undefined ? [] : cursors.decode(LIST, after);
    const rows = await store.listImports(ctx, { before: String(start), limit: limit + 1, table });
    return toPage(
      rows,
      limit,
      (row) => ({ ...store.toSummary(row), revision: row.revision }),
      ({ id }) => cursors.encode(LIST, [id]),
    );
  },
});

const updateImport = command({
  id: "imports.update",
  effect: "ordinary",
  route: "PATCH /api/v1/imports/{id}",
  summary: "Update an import",
  description:
    "Allowed in the state `ready`, or if the file could not be read. Another `format` reads the file again. The records go into `table`, or into a `newTable` with the columns of the mapping. Columns without a mapping are skipped. `key` is a unique field: a record with the same value is updated.",
  permission: RecordsWrite,
  params,
  body: Type.Object(
    {
      format: Type.Optional(FormatInput),
      table: Type.Optional(nullable(Slug)),
      newTable: Type.Optional(nullable(NewTable)),
      mapping: Type.Optional(Type.Array(ColumnMapping, { maxItems: CELLS_MAX })),
      key: Type.Optional(nullable(line(63))),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
  response: item(Import),
  emits: [ImportUpdated],
  fails: [ImportWrongState],
  example: {
    ...example,
    body: {
      newTable: { slug: "orders", name: "Orders" },
      mapping: [
        { column: 0, field: "number", type: "text", unique: true },
        { column: 2, field: "total", type: "decimal", decimalMark: "comma" },
      ],
      key: "number",
    },
  },
  async run(ctx, { params: { id }, body }) {
    const row = await store.getImport(ctx, id, { lock: true });
    ctx.expectRevision(row.revision);
    assertState(row.state, body.format ? ["ready", "failed"] : ["ready"]);
    if (row.state === "failed" && row.counts.read > 0) throw new Failure(ImportWrongState);
    const {
      format,
      table = row.table_slug,
      newTable = row.new_table,
      mapping,
      key = row.key_field,
    } = body;
    const target = body.newTable
      ? { slug: body.newTable.slug, made: body.newTable }
      : { slug: table, made: body.table ? null : newTable };
    const existing =
      target.made || target.slug === null ? undefined : await openTable(ctx, target.slug);
    const isOther = target.slug !== row.table_slug || target.made !== row.new_table;
    const next = {
      ...row,
      table_slug: target.slug,
      new_table: target.made,
      mapping: mapping ?? (isOther ? guessMapping(row.columns, existing?.schema) : row.mapping),
      key_field: key,
    };
    if (target.slug !== null && !format) checkMapping(ctx, next, existing);
    const after = await store.updateImport(ctx, id, {
      table_slug: next.table_slug,
      new_table: next.new_table,
      mapping: next.mapping,
      key_field: next.key_field,
      check_counts: null,
      reason: null,
      ...(format && { state: "analyzing" as const, format_input: format }),
    });
    if (format) enqueueWork(ctx, id);
    ctx.emit(ImportUpdated, importRef(after), store.toSummary(after));
    return store.toImport(after);
  },
});

const deleteImport = command({
  id: "imports.delete",
  route: "DELETE /api/v1/imports/{id}",
  summary: "Delete an import and its file",
  description: "Its records are kept, and the import can no longer be undone.",
  permission: RecordsWrite,
  params,
  response: noContent(),
  emits: [ImportDeleted],
  fails: [ImportWrongState],
  example,
  async run(ctx, { params: { id } }) {
    const row = await store.getImport(ctx, id, { lock: true });
    ctx.expectRevision(row.revision);
    if (ACTIVE_STATES.includes(row.state)) assertState(row.state, []);
    await deleteFile(ctx, row.file_id);
    if (row.rows_file_id !== null) await deleteFile(ctx, row.rows_file_id);
    await ctx.send("delete from imports where id = $1", [id]);
    ctx.emit(ImportDeleted, importRef(row), store.toSummary(row));
  },
});

export const importOperations: readonly Operation[] = [
  createImport,
  listImports,
  getImport,
  updateImport,
  deleteImport,
  ...runOperations,
  ...lineOperations,
];
