import Type from "typebox";
import { invalidField } from "#kernel/operation/failure.ts";
import {
  readInPartition,
  type ReportField,
  reportSource,
} from "#kernel/contributions/report-source.ts";
import { findOpenTable, type RuleSql, Slug, type TableSchema } from "#domains/tables/index.ts";
import { RecordsRead } from "./permissions.ts";
import { fieldsOf } from "./record-statements.ts";

/** The records of a table, with the rows and fields that its rules let the caller see. */
export const recordsSource = reportSource({
  kind: "records",
  summary: "The records of the table with the slug `table`, as its rules let the caller see them.",
  permission: RecordsRead,
  schema: Type.Object({ table: Slug }, { additionalProperties: false }),
  async open(request, { table: slug }, parameters) {
    const table = await findOpenTable(request, slug);
    if (!table) throw invalidField("/source/table", `there is no table ${slug} here`);
    const { schema } = table;
    const rules = table.compileRules(parameters);
    return {
      from: schema.view,
      where: rules.where,
      fields: reportFields(schema, rules),
      key: [{ sql: "id", type: "text" }],
      time: "createdAt",
      query: (text, values) =>
        table.retryOnSchemaChange(() => readInPartition(request, text, values)),
      isCurrent: () => table.isCurrent(),
    };
  },
});

function reportFields(schema: TableSchema, rules: RuleSql): ReadonlyMap<string, ReportField> {
  return new Map(
    fieldsOf(schema).flatMap((name): [string, ReportField][] => {
      const field = rules.field(name);
      const column = schema.byName.get(name);
      return field ? [[name, column ? { ...field, toJson: column.columnType.show } : field]] : [];
    }),
  );
}
