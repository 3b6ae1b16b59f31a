import { isDeepStrictEqual } from "node:util";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { listIds, type PackContext, packContent } from "#kernel/contributions/pack-content.ts";
import { object } from "#kernel/schema/schema.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import { nameColumns, titleFromName } from "../columns/naming/column-title.ts";
import type { ColumnInput, NewColumn } from "../columns/new-column.ts";
import { parseColumns } from "../columns/parse-fields.ts";
import { TablesWrite } from "../permissions.ts";
import { queryRows } from "#kernel/db/statement.ts";
import * as store from "../store.ts";
import { Slug, type Table } from "../table.ts";
import { applySteps } from "./apply-steps.ts";
import { tableSql, viewSql } from "../sql-names.ts";
import { type LocatedStep, type LocatedSteps, locateSteps } from "./table-change.ts";
import { invalidAt } from "./plan-steps.ts";
import { newTableFields, type TableStepOf, tableFields } from "./step.ts";
import { foldOwnIndexes } from "./table-steps.ts";

const TableHasRecords = failure("table_has_records", 409, "The table has records.");

/** The tables of packs, in the environment that the pack is installed in. */
export const tableContent = packContent({
  kind: "tables",
  // Rules name roles.
  after: ["roles"],
  permission: TablesWrite,
  environmentScoped: true,
  schema: object({ slug: Slug, name: tableFields.name, ...newTableFields }, { title: "PackTable" }),
  keyOf: ({ slug }) => slug,
  find: async ({ tx }, { slug }) => (await store.findTable(tx, slug))?.id,
  async read({ tx }, id) {
    const table = await store.findTableById(tx, id);
    if (!table) return undefined;
    return toContent(table);
  },
  async create(ctx, { slug, ...rest }) {
    const columns = namedColumns(rest.columns);
    const { created } = await applySteps(
      ctx,
      [{ op: "create_table", table: slug, ...rest, columns }],
      (_, path) => (path === "/table" ? "/slug" : path),
    );
    return created[0]?.id ?? "";
  },
  async replace(ctx, id, { slug, ...rest }) {
    const table = await getTable(ctx, id);
    const columns = namedColumns(rest.columns);
    const { steps, at } = stepsFrom(table, { op: "create_table", table: slug, ...rest, columns });
    if (steps.length > 0) await applySteps(ctx, steps, at);
    return id;
  },
  async remove(ctx, id) {
    await store.lockStructure(ctx.tx);
    const table = await getTable(ctx, id);
    const site = { partition: partitionOfCaller(ctx.caller), table };
    // Concurrent inserts either finished before this lock or fail because the table is missing.
    await queryRows(ctx.tx, `lock table ${viewSql(site)} in access exclusive mode`, []);
    // Records belong to the members who created them, even in a pack's table.
    if ((await queryRows(ctx.tx, `select from ${tableSql(site)} limit 1`, [])).length > 0) {
      throw new Failure(TableHasRecords);
    }
    await applySteps(ctx, [{ op: "drop_table", table: table.slug }]);
  },
  source: {
    needs: ({ columns }) =>
      columns.flatMap(({ options }) => {
        const target = options?.["table"];
        return typeof target === "string" ? [target] : [];
      }),
    list: ({ tx }, limit) => listIds(tx, "user_tables", limit),
    async toContent({ tx }, id) {
      const table = await store.findTableById(tx, id);
      if (!table) return undefined;
      return toContent(table);
    },
  },
});

/**
 * The steps that change a table to the definition of a pack. Columns that the pack does not have are kept with
 * their data.
 */
function stepsFrom(table: Table, content: TableStepOf<"create_table">): LocatedSteps {
  const { slug } = table;
  const { name = slug, description = "", rules = [] } = content;
  const normalized = foldOwnIndexes(content);
  const { columns, errors } = parseColumns(normalized.columns, { path: "/columns" });
  if (errors.length > 0) throw invalidAt((_, path) => path, 0, errors);
  const now = new Map(table.columns.map((column) => [column.name, column]));
  const located: LocatedStep[] = [];
  for (const [position, column] of columns.entries()) {
    const { name: columnName, ...change } = column;
    const path = `/columns/${position}`;
    if (!now.has(columnName)) {
      const step = { op: "add_column", table: slug, column, optionalIfFilled: true } as const;
      located.push({ step, paths: [["/column", path]] });
    } else if (!isDeepStrictEqual(now.get(columnName), column)) {
      const step = { op: "alter_column", table: slug, column: columnName, change } as const;
      located.push({ step, paths: [["/change", path]] });
    }
  }
  for (const [position, index] of normalized.indexes) {
    const { unique = false } = index;
    const isThere = table.indexes.some(
      (existing) =>
        isDeepStrictEqual(existing.columns, index.columns) && existing.unique === unique,
    );
    if (isThere) continue;
    located.push({
      step: { op: "add_index", table: slug, ...index },
      paths: [["", `/indexes/${position}`]],
    });
  }
  const { name: oldName, description: oldDescription, rules: oldRules } = table;
  const own = { name, description, rules };
  if (!isDeepStrictEqual(own, { name: oldName, description: oldDescription, rules: oldRules })) {
    located.push({ step: { op: "alter_table", table: slug, ...own }, paths: [["", ""]] });
  }
  return locateSteps(located);
}

/** A table as in packs and code: titles that can be derived from the name are omitted. */
function toContent({ slug, name, description, columns, indexes, rules }: Table) {
  const own = columns.map(({ name: column, title, ...rest }) => ({
    name: column,
    ...(title !== titleFromName(column) && { title }),
    ...rest,
  }));
  return { slug, name, description, columns: own, indexes, rules };
}

/** A column of a pack is identified by its name, which depends only on the pack. */
function namedColumns(inputs: readonly ColumnInput[]): NewColumn[] {
  const { columns, errors } = nameColumns(inputs, { path: "/columns" });
  if (errors.length > 0) throw invalidAt((_, path) => path, 0, errors);
  return columns;
}

async function getTable({ tx }: PackContext, id: string): Promise<Table> {
  const table = await store.findTableById(tx, id);
  if (!table) throw new Error("A table went away in the transaction that had read it.");
  return table;
}
