/** The invalid lines of an import. */
import Type from "typebox";
import { RecordsWrite } from "#domains/records/index.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageQuery, toPage } from "#kernel/operation/pagination.ts";
import { item, page } from "#kernel/operation/response.ts";
import { nullable, object } from "#kernel/schema/schema.ts";
import {
  EXAMPLE_ID,
  Import,
  ImportId,
  ImportLine,
  ImportUpdated,
  ImportWrongState,
} from "./import.ts";
import { assertState } from "./import-state.ts";
import { CELLS_MAX } from "./source/source-row.ts";
import * as store from "./store.ts";
import { importRef } from "./work.ts";
import { KEPT_CHARACTERS_MAX } from "./write/import-batch.ts";

const LINES_MAX = 1_000;
const LINE_NUMBER_MAX = 2_147_483_647;
const LINE_LIST = "lines of an import";
const params = object({ id: ImportId });
const example = { params: { id: EXAMPLE_ID } };

const listLines = query({
  id: "imports.list_lines",
  route: "GET /api/v1/imports/{id}/lines",
  summary: "List skipped and corrected lines of an import",
  permission: RecordsWrite,
  params,
  query: object({ ...pageQuery, corrected: Type.Optional(Type.Boolean()) }),
  response: page(ImportLine),
  example: { ...example, query: { limit: 50, corrected: false } },
  async run(ctx, { params: { id }, query: { limit, after, corrected } }) {
    await store.getImport(ctx, id);
    const { cursors } = ctx.services;
    const [start = 0] = after === undefined ? [] : cursors.decode(`${LINE_LIST} ${id}`, after);
    const lines = await store.listLines(ctx.tx, id, {
      after: Number(start),
      limit: limit + 1,
      corrected,
    });
    return toPage(
      lines,
      limit,
      (each) => each,
      (each) => cursors.encode(`${LINE_LIST} ${id}`, [each.line]),
    );
  },
});

const correctLines = command({
  id: "imports.correct_lines",
  effect: "ordinary",
  route: "POST /api/v1/imports/{id}/lines",
  summary: "Correct lines of an import",
  description:
    "`cells` replaces the cells of the line in the file. Use the column order of the file. `cells: null` removes a correction. Lines that were corrected after the import are written when you start it again.",
  permission: RecordsWrite,
  params,
  body: object({
    lines: Type.Array(
      object({
        line: Type.Integer({ minimum: 1, maximum: LINE_NUMBER_MAX }),
        cells: nullable(
          Type.Array(nullable(Type.String({ maxLength: 65_536 })), { maxItems: CELLS_MAX }),
        ),
      }),
      { minItems: 1, maxItems: LINES_MAX },
    ),
  }),
  response: item(Import),
  emits: [ImportUpdated],
  fails: [ImportWrongState],
  example: {
    ...example,
    body: { lines: [{ line: 17, cells: ["A-4711", "2026-02-28", "99.50"] }] },
  },
  async run(ctx, { params: { id }, body: { lines } }) {
    const row = await store.getImport(ctx, id, { lock: true });
    assertState(row.state, ["ready", "completed"]);
    const known = await ctx.send<{ line: number }>(
      "select line from import_lines where import_id = $1 and line = any($2::int[])",
      [id, lines.map(({ line: number }) => number)],
    );
    const present = new Set(known.map(({ line: number }) => number));
    for (const [index, each] of lines.entries()) {
      if (!present.has(each.line))
        throw invalidField(`/lines/${index}/line`, "is not a skipped line");
      // Corrected lines are read together when the import is started again.
      if (JSON.stringify(each.cells).length > KEPT_CHARACTERS_MAX)
        throw invalidField(
          `/lines/${index}/cells`,
          `must have at most ${KEPT_CHARACTERS_MAX} characters`,
        );
    }
    await ctx.send(
      `update import_lines l set cells = coalesce(c.cells, l.cells), corrected = c.cells is not null
         from unnest($2::int[], $3::jsonb[]) as c (line, cells) where l.import_id = $1 and l.line = c.line`,
      [
        id,
        lines.map(({ line: number }) => number),
        lines.map(({ cells }) => (cells === null ? null : JSON.stringify(cells))),
      ],
    );
    const after = await store.updateImport(ctx, id, {});
    ctx.emit(ImportUpdated, importRef(after), store.toSummary(after));
    return store.toImport(after);
  },
});

export const lineOperations = [listLines, correctLines];
