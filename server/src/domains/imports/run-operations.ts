/** Operations that check, start, stop and undo imports. */
import { authorityOf } from "#domains/identity/accounts/index.ts";
import { RecordsWrite } from "#domains/records/index.ts";
import {
  openTable,
  runSteps,
  TableCreated,
  tableEventData,
  tableRef,
} from "#domains/tables/index.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { Failure, Forbidden, invalidField } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { accepted, item } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import {
  EXAMPLE_ID,
  Import,
  ImportCancelled,
  ImportId,
  ImportStarted,
  type ImportState,
  ImportWrongState,
  NO_COUNTS,
} from "./import.ts";
import { assertState, checkMapping, enqueueWork } from "./import-state.ts";
import * as store from "./store.ts";
import { importRef } from "./work.ts";
import { newColumns } from "./write/line-plan.ts";

const params = object({ id: ImportId });
const example = { params: { id: EXAMPLE_ID } };

const checkImport = command({
  id: "imports.check",
  effect: "ordinary",
  route: "POST /api/v1/imports/{id}/check",
  summary: "Check an import",
  description:
    "A dry run of all lines with the rules and the data of the table. At the end (`import.checked`), `check` contains the counts, and `imports.list_lines` returns the lines that would be skipped. For a new table, duplicate values are only found when the import is started.",
  permission: RecordsWrite,
  params,
  response: accepted(Import),
  emits: [ImportStarted],
  fails: [ImportWrongState],
  example,
  async run(ctx, { params: { id } }) {
    const row = await prepareStart(ctx, id, ["ready"]);
    await ctx.send("delete from import_lines where import_id = $1 and not corrected", [id]);
    return begin(ctx, row, "checking");
  },
});

const startImport = command({
  id: "imports.start",
  effect: "drastic",
  route: "POST /api/v1/imports/{id}/start",
  summary: "Start an import",
  description:
    "Writes the records in batches, with your permissions and with an event per record and per batch. Lines with errors are skipped; `imports.list_lines` returns them. After correcting lines, you can start the import again for them. Creating a table requires `tables:write`.",
  permission: RecordsWrite,
  params,
  response: accepted(Import),
  emits: [ImportStarted, TableCreated],
  fails: [ImportWrongState],
  example,
  async run(ctx, { params: { id } }) {
    const row = await prepareStart(ctx, id, ["ready", "completed"]);
    if (row.state === "completed") {
      if (row.corrections === 0)
        throw new Failure(ImportWrongState, { detail: "No lines have been corrected." });
      return begin(
        ctx,
        { ...row, counts: { ...row.counts, invalid: row.counts.invalid - row.corrections } },
        "running",
      );
    }
    if (row.new_table) await makeTable(ctx, row);
    await ctx.send("delete from import_lines where import_id = $1 and not corrected", [id]);
    return begin(ctx, row, "running");
  },
});

async function prepareStart(
  ctx: WriteContext<never>,
  id: string,
  allowed: readonly ImportState[],
): Promise<store.ImportRow> {
  const row = await store.getImport(ctx, id, { lock: true });
  ctx.expectRevision(row.revision);
  assertState(row.state, allowed);
  if (row.table_slug === null) throw invalidField("/table", "is required");
  checkMapping(ctx, row, row.new_table ? undefined : await openTable(ctx, row.table_slug));
  return row;
}

async function makeTable(
  ctx: WriteContext<typeof TableCreated>,
  row: store.ImportRow,
): Promise<void> {
  const { slug, name } = row.new_table ?? { slug: "", name: "" };
  if (!ctx.caller.permissions.has("tables:write")) {
    throw new Failure(Forbidden, {
      detail: "Creating a table requires the permission tables:write.",
    });
  }
  const { created: tables } = await runSteps(
    ctx,
    [{ op: "create_table", table: slug, name, columns: newColumns(row) }],
    (_, path) => (path === "/table" ? "/newTable/slug" : path.replace(/^\/columns/, "/mapping")),
  );
  for (const table of tables) ctx.emit(TableCreated, tableRef(table), tableEventData(table));
}

async function begin(
  ctx: WriteContext<typeof ImportStarted>,
  row: store.ImportRow,
  state: "checking" | "running",
) {
  const { runAs, permissions } = authorityOf(ctx.caller);
  const isAgain = row.state === "completed";
  const makesTable = state === "running" && row.new_table !== null && !isAgain;
  const after = await store.updateImport(ctx, row.id, {
    state,
    counts: isAgain ? row.counts : NO_COUNTS,
    position: isAgain ? null : 0,
    run_as: runAs,
    permissions,
    actor: ctx.caller.actor,
    reason: null,
    ...(makesTable && { made_table: true, new_table: null }),
  });
  ctx.emit(ImportStarted, importRef(after), store.toSummary(after));
  enqueueWork(ctx, row.id);
  return store.toImport(after);
}

const cancelImport = command({
  id: "imports.cancel",
  effect: "drastic",
  route: "POST /api/v1/imports/{id}/cancel",
  summary: "Stop an import",
  description:
    "Stops the import. Written records are kept, and you can undo them. Stopping a check returns the import to `ready`.",
  permission: RecordsWrite,
  params,
  response: item(Import),
  emits: [ImportCancelled],
  fails: [ImportWrongState],
  example,
  async run(ctx, { params: { id } }) {
    const row = await store.getImport(ctx, id, { lock: true });
    assertState(row.state, ["analyzing", "checking", "running"]);
    const state = row.state === "checking" ? "ready" : "cancelled";
    const after = await store.updateImport(ctx, id, {
      state,
      ...(state === "ready" && { counts: NO_COUNTS, position: 0 }),
    });
    ctx.emit(ImportCancelled, importRef(after), store.toSummary(after));
    return store.toImport(after);
  },
});

const takeBackImport = command({
  id: "imports.take_back",
  effect: "drastic",
  route: "POST /api/v1/imports/{id}/take-back",
  summary: "Undo an import",
  description:
    "Deletes the created records, restores the updated records, and deletes a table that the import created. Records that were changed later, or that other records refer to, are kept and counted in `refused`.",
  permission: RecordsWrite,
  params,
  response: accepted(Import),
  emits: [ImportStarted],
  fails: [ImportWrongState],
  example,
  async run(ctx, { params: { id } }) {
    const row = await store.getImport(ctx, id, { lock: true });
    ctx.expectRevision(row.revision);
    assertState(row.state, ["completed", "cancelled", "failed"]);
    const { runAs, permissions } = authorityOf(ctx.caller);
    const after = await store.updateImport(ctx, id, {
      state: "taking_back",
      run_as: runAs,
      permissions,
      actor: ctx.caller.actor,
      reason: null,
    });
    ctx.emit(ImportStarted, importRef(after), store.toSummary(after));
    enqueueWork(ctx, id);
    return store.toImport(after);
  },
});

export const runOperations = [checkImport, startImport, cancelImport, takeBackImport];
