import { isDeepStrictEqual } from "node:util";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { type PackContext, packContent } from "#kernel/contributions/pack-content.ts";
import { object } from "#kernel/schema/schema.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import { parseColumns } from "../columns/parse-fields.ts";
import { TablesWrite } from "../permissions.ts";
import { queryRows } from "#kernel/db/statement.ts";
import * as store from "../store.ts";
import { Slug, type Table } from "../table.ts";
import { applySteps } from "./apply-steps.ts";
import { tableSql, viewSql } from "../sql-names.ts";
import { type Part, type Parts, partsOf } from "./table-change.ts";
import { invalidAt } from "./plan-steps.ts";
import { newTableFields, type StepOf, tableFields } from "./step.ts";
import { withOwnIndexes } from "./table-steps.ts";

const TableHasRecords = failure("table_has_records", 409, "The table has records.");

/** Tables that packs bring, in the environment that the pack is installed in. */
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
    const { slug, name, description, columns, indexes, rules } = table;
    return { slug, name, description, columns, indexes, rules };
  },
  async create(ctx, { slug, ...rest }) {
    const { created } = await applySteps(
      ctx,
      [{ op: "create_table", table: slug, ...rest }],
      (_, path) => (path === "/table" ? "/slug" : path),
    );
    return created[0]?.id ?? "";
  },
  async replace(ctx, id, { slug, ...rest }) {
    const table = await found(ctx, id);
    const { steps, at } = stepsFrom(table, { op: "create_table", table: slug, ...rest });
    if (steps.length > 0) await applySteps(ctx, steps, at);
    return id;
  },
  async remove(ctx, id) {
    await store.lockStructure(ctx.tx);
    const table = await found(ctx, id);
    const site = { partition: partitionOfCaller(ctx.caller), table };
    // Whoever is about to enter something has done so after this, or finds no table.
    await queryRows(ctx.tx, `lock table ${viewSql(site)} in access exclusive mode`, []);
    // What people entered is theirs, whoever made the table.
    if ((await queryRows(ctx.tx, `select from ${tableSql(site)} limit 1`, [])).length > 0) {
      throw new Failure(TableHasRecords);
    }
    await applySteps(ctx, [{ op: "drop_table", table: table.slug }]);
  },
});

/** How a table becomes another. A column that the other does not have stays, with what is in it. */
function stepsFrom(table: Table, wanted: StepOf<"create_table">): Parts {
  const { slug } = table;
  const { name = slug, description = "", rules = [] } = wanted;
  const given = withOwnIndexes(wanted);
  const { columns, faults } = parseColumns(given.columns, { path: "/columns" });
  if (faults.length > 0) throw invalidAt((_, path) => path, 0, faults);
  const now = new Map(table.columns.map((column) => [column.name, column]));
  const parts: Part[] = [];
  for (const [place, column] of columns.entries()) {
    const { name: columnName, ...change } = column;
    const sent = `/columns/${place}`;
    if (!now.has(columnName)) {
      const step = { op: "add_column", table: slug, column, optionalIfFilled: true } as const;
      parts.push({ step, places: [["/column", sent]] });
    } else if (!isDeepStrictEqual(now.get(columnName), column)) {
      const step = { op: "alter_column", table: slug, column: columnName, change } as const;
      parts.push({ step, places: [["/change", sent]] });
    }
  }
  for (const [place, index] of given.indexes) {
    const { unique = false } = index;
    const isThere = table.indexes.some(
      (one) => isDeepStrictEqual(one.columns, index.columns) && one.unique === unique,
    );
    if (isThere) continue;
    parts.push({
      step: { op: "add_index", table: slug, ...index },
      places: [["", `/indexes/${place}`]],
    });
  }
  const { name: oldName, description: oldDescription, rules: oldRules } = table;
  const own = { name, description, rules };
  if (!isDeepStrictEqual(own, { name: oldName, description: oldDescription, rules: oldRules })) {
    parts.push({ step: { op: "alter_table", table: slug, ...own }, places: [["", ""]] });
  }
  return partsOf(parts);
}

async function found({ tx }: PackContext, id: string): Promise<Table> {
  const table = await store.findTableById(tx, id);
  if (!table) throw new Error("A table went away in the transaction that had read it.");
  return table;
}
