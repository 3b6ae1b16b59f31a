import Type from "typebox";
import { invalidField } from "#kernel/operation/failure.ts";
import {
  readInPartition,
  type ReportField,
  reportSource,
} from "#kernel/contributions/report-source.ts";
import {
  findOpenTable,
  type OpenTable,
  type RuleSql,
  Slug,
  systemTitle,
} from "#domains/tables/index.ts";
import { RecordsRead } from "./permissions.ts";
import { openPastRecords } from "./past-records.ts";
import { fieldsOf } from "./record-statements.ts";

/** Provides records to reports, limited to visible rows and fields. */
export const recordsSource = reportSource({
  kind: "records",
  summary: "The records of the table with the slug `table` that you can view.",
  permission: RecordsRead,
  schema: Type.Object({ table: Slug }, { additionalProperties: false }),
  async open(request, { table: slug }, parameters) {
    const table = await findOpenTable(request, slug);
    if (!table) throw invalidField("/source/table", `is not a table in this environment: ${slug}`);
    const { schema } = table;
    const rules = table.compileRules(parameters);
    return {
      from: schema.view,
      where: rules.where,
      fields: new ReportFields(table, rules),
      key: [{ sql: "id", type: "text" }],
      time: "createdAt",
      query: (text, values) =>
        table.retryOnSchemaChange(() => readInPartition(request, text, values)),
      isCurrent: () => table.isCurrent(),
    };
  },
  async openAt(request, { table: slug }, parameters, at) {
    const table = await findOpenTable(request, slug);
    if (!table) throw invalidField("/source/table", `is not a table in this environment: ${slug}`);
    return openPastRecords(request, table, { parameters, at });
  },
});

/**
 * The fields by name, including unlisted paths through references. Each is compiled once, on first use: an unused
 * field would add parameters that the statement does not contain.
 */
class ReportFields extends Map<string, ReportField> {
  readonly #table: OpenTable;
  readonly #rules: RuleSql;
  readonly #compiled = new Map<string, ReportField | undefined>();

  constructor(table: OpenTable, rules: RuleSql) {
    super();
    this.#table = table;
    this.#rules = rules;
    for (const name of fieldsOf(table.schema)) {
      const type = table.fieldType(name);
      // The SQL is compiled by `get`.
      if (type) this.set(name, { sql: "null", kind: type.kind, title: titleOfField(table, name) });
    }
  }

  override get(name: string): ReportField | undefined {
    if (!this.#compiled.has(name)) this.#compiled.set(name, this.#compile(name));
    return this.#compiled.get(name);
  }

  #compile(name: string): ReportField | undefined {
    const field = this.#rules.field(name);
    const show = this.#table.schema.byName.get(name)?.columnType.show ?? field?.show;
    if (!field) return undefined;
    return { ...field, title: titleOfField(this.#table, name), ...(show && { toJson: show }) };
  }
}

/** The title of a column; for a path, the title of its reference and its field. */
function titleOfField({ schema }: OpenTable, path: string): string {
  const [first = "", ...rest] = path.split(".");
  const column = schema.byName.get(first) ?? schema.computed.get(first);
  return [column?.title ?? systemTitle(first), ...rest].join(" · ");
}
